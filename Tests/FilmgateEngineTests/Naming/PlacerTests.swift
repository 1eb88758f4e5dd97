import FilmgateCore
import Testing

@testable import FilmgateEngine

@Suite struct PlacerTests {
    private struct Target: UploadTarget {
        var traits = TargetTraits(identity: "t", layout: Template("{name}"))
        func check() async throws(IngestError) {}
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt { Receipt(state: .done) }
    }

    /// Has everything, from `first`.
    private struct Full: LedgerStandIn {
        let first: String
        func deliveries(of content: ContentKey) async throws(IngestError) -> [DeliveryRow] {
            [DeliveryRow(content: content, target: "t", targetName: "t", receipt: Receipt(state: .done), size: 1, path: "A.JPG")]
        }
        func twin(of content: ContentKey) async throws(IngestError) -> String? { first }
    }

    /// Another file of these bytes was delivered after `dedupe` had asked about this one.
    @Test(arguments: [("/card/B.JPG", "/card/B.JPG"), ("/card/A.JPG", nil)]) func aLateDuplicateNamesItsTwin(first: String, twin: String?)
        async throws
    {
        let target = PlannedTarget(name: "t", target: Target(), workers: nil)
        let placer = Placer(
            ledger: Full(first: first), targets: [target], profiles: ProfileSet(), book: NameBook(), event: nil, photographer: nil,
            again: false,
            volumeLabel: "V", bodies: BodyBook(), trees: TreeBook())
        let origin = Origin(source: "card", volume: "v", root: "/card", path: "A.JPG", size: 1, modified: 0)
        var asset = Asset(origin: origin, kind: .jpeg, shot: ShotPlace(key: "a", stem: "A"))
        (asset.file, asset.digests) = (LocalFile(path: "/card/A.JPG", size: 1, ownership: .source), Digests(sha256: "1"))
        let placed = try await placer.place([(asset, ["t"])], lead: asset, budget: [:])
        #expect(placed.first?.parcels.isEmpty == true && placed.first?.consignment.twin == twin)
    }
}
