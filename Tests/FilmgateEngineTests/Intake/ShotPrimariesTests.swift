import FilmgateCore
import Testing

@testable import FilmgateEngine

@Suite struct ShotPrimariesTests {
    private let picture: Asset = {
        let origin = Origin(source: "card", volume: "v", root: "/card", path: "A.JPG", size: 1, modified: 0)
        return Asset(origin: origin, kind: .jpeg, shot: ShotPlace(key: "a", stem: "A"))
    }()

    /// The picture waits in the order of the source until its sidecar has been named: waiting for it would never end.
    @Test(.timeLimit(.minutes(1))) func aSidecarDoesNotWaitForAPictureThatComesLater() async {
        let primaries = ShotPrimaries()
        await primaries.began("a", 1)
        let lead = await primaries.lead(of: "a", before: 0)
        #expect(lead == nil)
        await primaries.ended("a", 1, lead: picture)
        let later = await primaries.lead(of: "a", before: 2)
        #expect(later?.id == picture.id)
    }

    @Test(.timeLimit(.minutes(1))) func aSidecarWaitsForThePictureBeforeIt() async {
        let primaries = ShotPrimaries()
        await primaries.began("a", 0)
        await primaries.began("a", 2)
        async let lead = primaries.lead(of: "a", before: 1)
        await primaries.ended("a", 0, lead: picture)
        let found = await lead
        #expect(found?.id == picture.id)
        await primaries.ended("a", 2, lead: nil)
    }
}
