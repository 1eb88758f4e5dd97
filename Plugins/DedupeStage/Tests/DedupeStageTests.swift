import DedupeStage
import FilmgateCore
import FilmgateLedger
import Logging
import Testing

@Suite struct DedupeStageTests {
    private static func asset(_ path: String, _ kind: MediaKind, sha256: String) -> Asset {
        let origin = Origin(source: "card", volume: "v", root: "/card", path: path, size: 1, modified: 0)
        var asset = Asset(origin: origin, kind: kind, shot: ShotPlace(key: "k", stem: "k"))
        asset.digests = Digests(sha256: sha256)
        return asset
    }

    private static let picture = String(repeating: "a", count: 64), other = String(repeating: "b", count: 64)

    /// A ledger in which `a.jpg` has been delivered.
    private static func ledger() async throws -> SQLiteLedger {
        let ledger = try SQLiteLedger.inMemory()
        let first = asset("a.jpg", .jpeg, sha256: picture), content = ContentKey(sha256: picture)
        var row = AssetRow(origin: first.origin, run: 0, kind: .jpeg, shot: first.shot, at: 1)
        (row.content, row.digests, row.ending) = (content, first.digests, .delivered)
        let receipt = Receipt(state: .done, path: "/archive/a.jpg", sha256: picture, verified: .reread, at: 1)
        let delivery = DeliveryRow(
            content: content, target: "folder:/archive", targetName: "archive", receipt: receipt, size: 1, path: "a.jpg")
        try await ledger.record([.asset(row), .delivery(delivery)])
        return ledger
    }

    private func process(_ asset: Asset, beside primary: Asset? = nil) async throws -> Asset {
        let context = ModuleContext(
            name: "dedupe", logger: Logger(label: "test"), state: "", lookup: Lookup(ledger: try await Self.ledger()))
        let stage = try DedupeStage(DedupeStage.Config(), context)
        let shot = Shot(key: "k", assets: [primary, asset].compactMap { $0 })
        guard case .pass(let passed) = try await stage.process(asset, of: shot) else { throw IngestError(.unexpected, "must pass") }
        return passed
    }

    @Test func namesTheTwinOfKnownBytes() async throws {
        let found = try await process(Self.asset("copy.jpg", .jpeg, sha256: Self.picture))
        #expect(found.twin == "/card/a.jpg")
        #expect(found.earlier?.map(\.target) == ["folder:/archive"])
    }

    @Test func newBytesAreNewWhateverTheirName() async throws {
        let found = try await process(Self.asset("a.jpg", .jpeg, sha256: Self.other))
        #expect(found.twin == nil)
        #expect(found.earlier?.isEmpty == true)
    }

    @Test func aSidecarIsOnlyKnownBesideItsOwnPicture() async throws {
        let primary = Self.asset("z.jpg", .jpeg, sha256: Self.other)
        let found = try await process(Self.asset("z.xmp", .sidecar, sha256: Self.picture), beside: primary)
        #expect(found.earlier?.isEmpty == true)
    }
}
