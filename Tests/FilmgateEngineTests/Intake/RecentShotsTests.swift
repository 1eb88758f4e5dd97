import FilmgateCore
import Testing

@testable import FilmgateEngine

@Suite struct RecentShotsTests {
    private let picture: Asset = {
        let origin = Origin(source: "card", volume: "v", root: "/card", path: "A.JPG", size: 1, modified: 0)
        return Asset(origin: origin, kind: .jpeg, shot: ShotPlace(key: "a", stem: "A"))
    }()

    /// The picture waits in the order of the source until its sidecar has been named: waiting for it would never end.
    @Test(.timeLimit(.minutes(1))) func aSidecarDoesNotWaitForAPictureThatComesLater() async {
        let recent = RecentShots()
        await recent.began("a", 1)
        let lead = await recent.lead(of: "a", before: 0)
        #expect(lead == nil)
        await recent.ended("a", 1, lead: picture)
        let later = await recent.lead(of: "a", before: 2)
        #expect(later?.id == picture.id)
    }

    @Test(.timeLimit(.minutes(1))) func aSidecarWaitsForThePictureBeforeIt() async {
        let recent = RecentShots()
        await recent.began("a", 0)
        await recent.began("a", 2)
        async let lead = recent.lead(of: "a", before: 1)
        await recent.ended("a", 0, lead: picture)
        let found = await lead
        #expect(found?.id == picture.id)
        await recent.ended("a", 2, lead: nil)
    }
}
