import FilmgateCore
import Testing

@testable import FilmgateEngine

/// Which targets a known file should have reached.
@Suite struct WantedTests {
    private struct Picky: UploadTarget {
        var traits: TargetTraits {
            var traits = TargetTraits(identity: "picky", parallel: 1)
            traits.extensions = ["cr3"]
            traits.maxPixels = 25_000_000
            return traits
        }
        func check() async throws(IngestError) {}
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt { Receipt(state: .done) }
    }

    private func known(_ path: String) -> KnownFile {
        KnownFile(
            fingerprint: Fingerprint(path: path, size: 9, modified: 1, born: 1, inode: 1, changed: 1), content: nil,
            kind: .raw, ending: .delivered, make: "M", model: "X",
            serial: nil, owner: nil, captured: nil, done: [], shot: path)
    }

    /// Two RAWs of one body: what is remembered of the first is no answer for the second.
    @Test func anExtensionHasAnAnswerOfItsOwn() {
        var plan = Plan(sources: [], stages: [], targets: [("picky", Picky())], profiles: ProfileSet(), spool: 1)
        plan.uploadTo = ["picky"]
        let memo = WantedCache(plan)
        #expect(memo.wanted(known("DCIM/A.CR2")) == [])
        #expect(memo.wanted(known("DCIM/B.CR3")) == ["picky"])
        #expect(memo.wanted(known("DCIM/C.CR2")) == [])
    }

    /// It would be read and hashed at each import, to be refused again.
    @Test func aPictureThatIsTooLargeIsNotWanted() {
        var plan = Plan(sources: [], stages: [], targets: [("picky", Picky())], profiles: ProfileSet(), spool: 1)
        plan.uploadTo = ["picky"]
        let memo = WantedCache(plan)
        var small = known("DCIM/A.CR3"), large = known("DCIM/B.CR3")
        (small.width, small.height, small.isRead) = (6000, 4000, true)
        (large.width, large.height, large.isRead, large.ending) = (8192, 5464, true, .filtered)
        #expect(memo.wanted(small) == ["picky"] && memo.wanted(large) == [])
        #expect(plan.refusal(large, KnownShot()) == "picky: picky takes at most 25 megapixels")
    }
}
