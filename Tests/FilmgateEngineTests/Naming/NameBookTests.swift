import FilmgateCore
import Testing

@testable import FilmgateEngine

/// What a run remembers of names does not grow with the shots that it has settled.
@Suite struct NameBookTests {
    private struct Target: UploadTarget {
        var traits = TargetTraits(identity: "t", localRoot: nil, parallel: 1)
        func check() async throws(IngestError) {}
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt { Receipt(state: .done) }
    }

    private func parcel(_ name: String) -> Parcel {
        let origin = Origin(source: "card", volume: "v", root: "/card", path: name, size: 1, modified: 0)
        let asset = Asset(origin: origin, kind: .jpeg, shot: ShotPlace(key: name, stem: name))
        let job = UploadJob(
            asset: asset, file: LocalFile(path: "/x", size: 1, ownership: .source), digests: Digests(sha256: name), path: name, name: name,
            values: TemplateValues())
        return Parcel(
            id: Parcel.ID(content: ContentKey(rawValue: name), target: "t"), job: job,
            target: PlannedTarget(name: "t", target: Target(), workers: nil), listeners: [asset.id])
    }

    @Test func namesAreKeptUntilTheLedgerKnowsThem() {
        let book = NameBook(), parcel = parcel("A.JPG")
        book.beginPlacing()
        book.give("A.JPG", to: parcel.id.content, at: "t", ShotMark(parcel.job.asset))
        book.beginPlacing()
        #expect(book.isPromised(parcel.id.content, at: "t") && !book.isConcluded(parcel.id))
        #expect(book.holder(of: "a.jpg", at: "t") == parcel.id.content)
    }

    /// Whoever is choosing names just then may have asked the ledger a moment too early.
    @Test func whatBecomesFinalIsRememberedForTheShotThatIsBeingPlaced() {
        let book = NameBook(), parcel = parcel("A.JPG")
        book.give("A.JPG", to: parcel.id.content, at: "t", ShotMark(parcel.job.asset))
        book.beginPlacing()
        book.conclude(parcel.id)
        book.release(parcel)
        #expect(book.isConcluded(parcel.id) && book.isPromised(parcel.id.content, at: "t"))
        book.beginPlacing()
        #expect(!book.isConcluded(parcel.id) && !book.isPromised(parcel.id.content, at: "t"))
    }

    @Test func tenThousandSettledShotsLeaveNothing() {
        let book = NameBook()
        for number in 0..<10_000 {
            let parcel = parcel("IMG_\(number).JPG")
            book.beginPlacing()
            book.give(parcel.job.path, to: parcel.id.content, at: "t", ShotMark(parcel.job.asset))
            book.conclude(parcel.id)
            book.release(parcel)
        }
        book.beginPlacing()
        #expect(book.count == 0)
    }
}
