import FilmgateCore
import Synchronization
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
        var memo = WantedCache(plan)
        let answers = ["A.CR2", "B.CR3", "C.CR2"].map { memo.wanted(known("DCIM/\($0)")) }
        #expect(answers == [[], ["picky"], []])
    }

    /// It would be read and hashed at each import, to be refused again.
    @Test func aPictureThatIsTooLargeIsNotWanted() {
        var plan = Plan(sources: [], stages: [], targets: [("picky", Picky())], profiles: ProfileSet(), spool: 1)
        plan.uploadTo = ["picky"]
        var memo = WantedCache(plan)
        var small = known("DCIM/A.CR3"), large = known("DCIM/B.CR3")
        (small.width, small.height, small.isRead) = (6000, 4000, true)
        (large.width, large.height, large.isRead, large.ending) = (8192, 5464, true, .filtered)
        let answers = [small, large].map { memo.wanted($0) }
        #expect(answers == [["picky"], []])
        #expect(plan.refusal(large, KnownShot()) == "picky: picky takes at most 25 megapixels")
    }
    /// A listing keeps what it found when it was made, and its shots are made from that.
    @Test func aCopyHasTheAnswersThatWereThereByThen() {
        let asked = Asked()
        var memo = WantedCache(by: WantedCache.Parts(ext: true)) { file, _ in
            asked.names.withLock { $0.append(file.name) }
            return [file.name]
        }
        let first = ["A.CR3", "B.CR3", "C.CR2", "D.CR3"].map { memo.wanted(known($0)) }
        #expect(first == [["A.CR3"], ["A.CR3"], ["C.CR2"], ["A.CR3"]])
        var copy = memo
        _ = ["E.CR2", "F.NEF", "G.NEF"].map { copy.wanted(known($0)) }
        _ = memo.wanted(known("H.NEF"))
        #expect(asked.names.withLock(\.self) == ["A.CR3", "C.CR2", "F.NEF", "H.NEF"])
    }

    /// What was asked of.
    private final class Asked: Sendable { let names = Mutex<[String]>([]) }

    /// The rating that counts is that of the state which was recorded last, though an older one has a later time.
    @Test func aClockThatWasSetBackKeepsNoOldRating() {
        func state(_ modified: Int64, _ rating: Int) -> KnownFile {
            var file = KnownFile(
                fingerprint: Fingerprint(
                    path: "DCIM/A.XMP", size: 9, modified: modified, born: 0, inode: 1, changed: 1),
                content: nil, kind: .sidecar, ending: .delivered, make: nil, model: nil, serial: nil, owner: nil,
                captured: nil, done: [], shot: "a")
            (file.rating, file.isRead) = (rating, true)
            return file
        }
        let latest = KnownFile.latest([state(900, 5), known("DCIM/A.CR3"), state(100, 1)])
        #expect(latest.map(\.name) == ["A.CR3", "A.XMP"] && latest.last?.rating == 1)
    }
}
