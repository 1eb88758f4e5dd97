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
            content: content, target: "folder:/archive", targetName: "archive", receipt: receipt, size: 1, path: "a.jpg"
        )
        try await ledger.record([.asset(row), .delivery(delivery)])
        return ledger
    }

    private func process(_ asset: Asset, beside primary: Asset? = nil) async throws -> Asset {
        let context = ModuleContext(
            name: "dedupe", logger: Logger(label: "test"), state: "", lookup: Lookup(ledger: try await Self.ledger()))
        let stage = try DedupeStage(DedupeStage.Config(), context)
        let shot = Shot(key: "k", assets: [primary, asset].compactMap { $0 })
        guard case .pass(let passed) = try await stage.process(asset, of: shot) else {
            throw IngestError(.unexpected, "must pass")
        }
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

    /// From the card beside its RAW file; now its JPEG came first.
    @Test func aSidecarIsKnownWhicheverPictureOfItsShotComesFirst() async throws {
        let ledger = try await Self.ledger(), raw = String(repeating: "c", count: 64)
        let sidecar = String(repeating: "d", count: 64)
        let content = ContentKey(sha256: sidecar, beside: raw)
        let files = [
            ("a.xmp", MediaKind.sidecar, content), ("a.cr2", .raw, ContentKey(sha256: raw)),
            ("a.jpg", .jpeg, ContentKey(sha256: Self.picture)),
        ]
        for (name, kind, key) in files {
            let one = Self.asset(name, kind, sha256: key.sha256)
            var row = AssetRow(origin: one.origin, run: 0, kind: kind, shot: one.shot, at: 1)
            (row.content, row.digests, row.ending) = (key, one.digests, .delivered)
            row.media = MediaFacts()
            row.media?.captured = CivilTime(year: 2026, month: 5, day: 1, hour: 12)
            let receipt = Receipt(state: .done, path: "/archive/" + name, sha256: key.sha256, verified: .reread, at: 1)
            let delivery = DeliveryRow(
                content: key, target: "folder:/archive", targetName: "archive", receipt: receipt, size: 1, path: name)
            try await ledger.record([.asset(row), .delivery(delivery)])
        }
        let stage = try DedupeStage(
            DedupeStage.Config(),
            ModuleContext(name: "dedupe", logger: Logger(label: "test"), state: "", lookup: Lookup(ledger: ledger)))
        func found(beside picture: String) async throws -> (Asset, Shot) {
            let primary = Self.asset("push/a.jpg", .jpeg, sha256: picture)
            let asset = Self.asset("push/a.xmp", .sidecar, sha256: sidecar)
            let shot = Shot(key: "k", assets: [primary, asset])
            guard case .pass(let passed) = try await stage.process(asset, of: shot) else {
                throw IngestError(.unexpected, "must pass")
            }
            return (passed, shot)
        }
        let (known, shot) = try await found(beside: Self.picture)
        #expect(known.earlier?.map(\.path) == ["a.xmp"] && known.twin == "/card/a.xmp")
        #expect(shot.content(of: known) == content)
        #expect(try await found(beside: Self.other).0.earlier?.isEmpty == true)
    }

    /// A RAW that is copied later than its JPEG names the shot from then on: its sidecar is the one that was ordered
    /// beside the JPEG.
    @Test(arguments: [false, true]) func aSidecarIsKnownWhereItsPictureIsNoLongerTheFirst(
        isJPEGKnown: Bool
    ) async throws {
        let ledger = try await Self.ledger(), sidecar = String(repeating: "d", count: 64)
        let content = ContentKey(sha256: sidecar, beside: Self.picture)
        let taken = Receipt(state: .excluded, at: 1, reason: DeliveryRow.cancelledReason)
        try await ledger.record([
            .delivery(
                DeliveryRow(
                    content: content, target: "folder:/archive", targetName: "archive", receipt: taken, size: 1,
                    path: "a.xmp"))
        ])
        let stage = try DedupeStage(
            DedupeStage.Config(),
            ModuleContext(name: "dedupe", logger: Logger(label: "test"), state: "", lookup: Lookup(ledger: ledger)))
        let raw = Self.asset("a.cr2", .raw, sha256: String(repeating: "c", count: 64))
        let jpeg = Self.asset("a.jpg", .jpeg, sha256: Self.picture)
        let asset = Self.asset("a.xmp", .sidecar, sha256: sidecar)
        var shot = Shot(key: "k", assets: isJPEGKnown ? [raw, asset] : [raw, jpeg, asset])
        if isJPEGKnown { shot.known = [jpeg] }
        guard case .pass(let passed) = try await stage.process(asset, of: shot) else {
            throw IngestError(.unexpected, "must pass")
        }
        #expect(shot.content(of: passed) == content)
        #expect(passed.earlier?.first?.isCancelled == true)
    }
}
