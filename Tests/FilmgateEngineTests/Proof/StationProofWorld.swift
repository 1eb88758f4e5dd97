import FilmgateCore
import FilmgateTesting
import Foundation

@testable import FilmgateEngine

/// A card that another station took, a shared folder, a gallery, and what the catalogue says of them.
final class StationProofWorld {
    enum Word: CaseIterable { case has, lacks, fails, cannotTell }

    /// Says what the test lets it say of any bytes; another gallery for each event.
    struct Gallery: UploadTarget {
        let word: Word, event: String?
        var traits: TargetTraits {
            var traits = TargetTraits(
                identity: ["http:https://gallery.example/:ann", event].compactMap(\.self).joined(separator: ":"))
            (traits.address, traits.answersByDigest) = ("https://gallery.example/", true)
            return traits
        }
        func check() async throws(IngestError) {}
        func knows(_ job: UploadJob) async throws(IngestError) -> Bool? {
            switch word {
            case .has: true
            case .lacks: false
            case .fails: throw IngestError(.unavailable, "It is broken.")
            case .cannotTell: nil
            }
        }
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt { Receipt(state: .done) }
    }

    struct Folder: UploadTarget {
        let root: String
        var traits: TargetTraits { TargetTraits(identity: "folder:\(root)", localRoot: root) }
        func check() async throws(IngestError) {}
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt { Receipt(state: .done) }
    }

    /// Gives back what lies at one address of its own, and cannot be asked by digest.
    struct Bucket: UploadTarget {
        let keeps: String
        var traits: TargetTraits {
            var traits = TargetTraits(identity: "s3:https://s3.example/bucket:ann", layout: Template("{name}"))
            traits.address = "https://s3.example/bucket"
            return traits
        }
        func check() async throws(IngestError) {}
        func verify(_ receipt: Receipt, size: UInt64, sha256: String) async throws(IngestError) -> Verification {
            guard let url = receipt.url else { return .cannotTell }
            return url == keeps && sha256 == StationProofWorld.sha256 ? .equal : .missing
        }
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt { Receipt(state: .done) }
    }

    /// Says which camera a file is of, as a stage that reads does.
    struct Reading: Stage {
        var make: String?, error: IngestError?
        var traits: StageTraits {
            var traits = StageTraits()
            traits.reads = true
            return traits
        }
        func process(_ asset: Asset, of shot: Shot) async throws(IngestError) -> FilmgateCore.Verdict {
            if let error { throw error }
            var asset = asset
            asset.media = MediaFacts()
            asset.media?.make = make
            return .pass(asset)
        }
    }

    struct Unknown: Stage {
        func process(_ asset: Asset, of shot: Shot) async throws(IngestError) -> FilmgateCore.Verdict { .pass(asset) }
    }

    /// What this station's own ledger has: nothing, or one file and its deliveries.
    struct Rows: LedgerStandIn {
        var asset: AssetRow?, rows: [DeliveryRow] = []
        func assets(sha256: String) async throws(IngestError) -> [AssetRow] { asset.map { [$0] } ?? [] }
        func deliveries(of content: ContentKey) async throws(IngestError) -> [DeliveryRow] { rows }
    }

    static let sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
    let folder: String, catalog = MemoryCatalog()
    var nas: String { folder + "/nas" }
    var archive: String { folder + "/archive" }
    private(set) var mark = ""
    /// What the gallery says, for the event that has one of its own.
    var word = Word.has, event: String?
    var bucket = "https://s3.example/bucket/2026/a%20b.jpg"
    var stages: [any Stage] = [], profiles = ProfileSet()
    var wanted: Set<String> = ["nas", "gallery"], copies = 1, ledger = Rows(), patience = Duration.seconds(5)

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/filmgate-stations-\(UInt64.random(in: 0...(.max)))"
        for place in ["CARD", "nas/2026", "archive"] {
            try FileManager.default.createDirectory(atPath: "\(folder)/\(place)", withIntermediateDirectories: true)
        }
        try put("test", at: "CARD/A.JPG")
        try put("test", at: "nas/2026/a.jpg")
        mark = try SharedFolderFile.share(nas).id
        catalog.set(copies: [said(at: "shared|\(mark)", "2026/a.jpg"), said()])
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func put(_ text: String?, at path: String) throws {
        let file = URL(fileURLWithPath: "\(folder)/\(path)")
        if let text { try Data(text.utf8).write(to: file) } else { try? FileManager.default.removeItem(at: file) }
    }

    /// What `desk-3` says.
    func said(
        at target: String? = "http:https://gallery.example/:ann", _ detail: String? = "42",
        named name: String = "gallery", _ change: (inout CatalogCopy) -> Void = { _ in }
    ) -> CatalogCopy {
        var copy = CatalogCopy(sha256: Self.sha256, station: "desk-3", state: .done, place: name, at: 1)
        (copy.target, copy.detail, copy.size, copy.proof) = (target, detail, 4, "server")
        change(&copy)
        return copy
    }

    func entry(_ kind: MediaKind = .jpeg) -> SourceEntry {
        let origin = Origin(source: "card", volume: "v", root: folder + "/CARD", path: "A.JPG", size: 4, modified: 0)
        return SourceEntry(origin: origin, kind: kind, shot: ShotPlace(key: "a", stem: "A"))
    }

    func plan(for event: String?) -> Plan {
        let all: [(name: String, target: any UploadTarget)] = [
            ("archive", Folder(root: archive)), ("nas", Folder(root: nas)),
            ("gallery", Gallery(word: event == self.event ? word : .lacks, event: event)),
            ("bucket", Bucket(keeps: bucket)),
        ]
        var plan = Plan(sources: [], stages: stages, targets: all, profiles: profiles, spool: 1), rule = StationRule()
        plan.uploadTo = wanted
        rule.share = ["gallery", "bucket"].compactMap {
            try? TargetReference(node: ConfigNode(.scalar($0, quoted: false)))
        }
        plan.shared = SharedTargets(rule, all, events: [event].compactMap(\.self))
        return plan
    }

    func finding(_ kind: MediaKind = .jpeg, beside: [String] = []) async throws -> CardProof.Finding {
        var made: [String?: Plan] = [nil: plan(for: nil)]
        made[event] = plan(for: event)
        let plans = made
        let targets = try ProofTargets { event throws(IngestError) in plans[event].map { [$0] } ?? [] }
        let proof = CardProof(
            reader: ledger, proofTargets: targets, allowance: .sameDevice, copies: copies,
            exemptions: .init { _ in false })
        let path = "\(folder)/CARD/A.JPG", first = try await proof.examine(entry(kind), at: path, beside: beside)
        let stations = StationProof(
            StationLookup(catalog: catalog, patience: patience), station: "desk-5", asking: targets, proof)
        let file = ExaminedFile(entry(kind), at: path, beside: beside, finding: first)
        return try await stations.follow([[file]])[0][0]
    }

    /// The words of a no; empty for a yes.
    func no(_ kind: MediaKind = .jpeg, beside: [String] = []) async throws -> String {
        switch try await finding(kind, beside: beside).verdict {
        case .problem(let why, _), .removed(let why, _), .exempt(let why): why
        case .proven: ""
        }
    }
}
