import FileKit
import FilmgateCore
import HTTPKit

/// A target whose work is done by a program.
struct ExternalTarget: UploadTarget {
    let traits: TargetTraits
    let name: String, gallery: String
    private let children: ChildPool, signer: RequestSigner?
    private static let pool = BlockingPool(width: 2)

    /// Starts a child for its traits.
    ///
    /// `misconfigured` when it refuses its options or has no identity.
    init(_ use: Use) throws(IngestError) {
        let first = use.children(), given = try first.traits()
        traits = try Self.traits(given, use)
        (name, signer) = (use.name, use.signer)
        gallery = "\(use.name):\(given["identity"]?.string.map(Reported.shown) ?? "")"
        children = traits.parallel == 1 ? first : use.children(width: traits.parallel)
    }

    private static func traits(_ value: JSONValue, _ use: Use) throws(IngestError) -> TargetTraits {
        func wrong(_ what: String) -> IngestError { IngestError(.misconfigured, "The module `\(use.name)` \(what).") }
        guard let place = value["identity"]?.string.map(Reported.shown), !place.isEmpty else {
            throw wrong("does not say which place it delivers to (`identity`)")
        }
        let parts = [use.name, place] + (use.signer?.accounts ?? []) + [use.context.event].compactMap { $0 }
        var traits = TargetTraits(
            identity: parts.joined(separator: ":"), parallel: Int(min(max(value["parallel"]?.whole ?? 1, 1), 16)),
            idempotent: value["idempotent"]?.flag ?? false,
            maxSize: value["maxSize"]?.whole.flatMap { UInt64(exactly: $0) })
        traits.event = use.context.event
        if let layout = value["layout"]?.string {
            guard let template = Template(layout) else { throw wrong("names files by a template that is none") }
            traits.layout = template
        }
        if let words = value["accepts"]?.texts {
            let kinds = words.compactMap { MediaKind(rawValue: $0) }
            guard kinds.count == words.count else { throw wrong("accepts kinds of file that are not known") }
            traits.accepts = Set(kinds)
        }
        if let words = value["digests"]?.texts {
            let digests = words.compactMap { DigestAlgorithm(rawValue: $0) }
            guard digests.count == words.count else { throw wrong("wants digests that are not known") }
            traits.digests = Set(digests).subtracting([.sha256])
        }
        traits.extensions = value["extensions"]?.texts.map { Set($0.map { $0.lowercased() }) }
        traits.maxPixels = value["maxPixels"]?.whole.flatMap { Int(exactly: $0) }
        traits.warnings = (value["warnings"]?.texts ?? []).prefix(10).map(Reported.shown)
        if !traits.idempotent {
            traits.warnings.append(
                "After a lost answer a file may be stored twice, unless the module finds it again (`find`); "
                    + "one that stores the same bytes once says so with `idempotent`.")
        }
        return traits
    }

    func ask(_ verb: String, _ arguments: JSONObject = [:]) async throws(IngestError) -> JSONValue? {
        try await children.ask(Request(verb: verb, arguments: arguments), signer: signer)
    }

    func check() async throws(IngestError) { _ = try await ask("check") }

    func occupancy(of path: String, for job: UploadJob) async throws(IngestError) -> Occupancy {
        guard traits.layout != nil else { return .free }
        var job = job
        job.path = path
        switch try await ask("occupancy", AssetText.json(job)) {
        case let value? where value["same"] != nil:
            return .same(try AssetText.receipt(value["same"] ?? .null, for: job, name, existed: true))
        case let value? where value["other"]?.flag == true: return .other
        default: return .free
        }
    }

    func find(_ job: UploadJob) async throws(IngestError) -> Receipt? {
        guard let found = try await ask("find", AssetText.json(job))?["receipt"], found != .null else { return nil }
        return try AssetText.receipt(found, for: job, name, existed: true)
    }

    func upload(_ job: UploadJob) async throws(IngestError) -> Receipt {
        // The child reads the file by itself: what it is given is looked at before.
        let found = try await Self.pool.run { () throws(IngestError) in try FileCopy.hash(path: job.file.path) }
        guard found.size == job.file.size, found.digests.sha256 == job.digests.sha256 else {
            throw IngestError(
                .corruptData, "\(job.file.path) no longer holds the bytes that were read before; it was not handed on.")
        }
        guard let value = try await ask("upload", AssetText.json(job)) else {
            throw IngestError(.misconfigured, "The module `\(name)` does not know `upload`.")
        }
        return try AssetText.receipt(value["receipt"] ?? value, for: job, name)
    }

    func verify(_ receipt: Receipt, size: UInt64, sha256: String) async throws(IngestError) -> Verification {
        let arguments: JSONObject = [
            "receipt": AssetText.json(receipt), "size": .count(size), "sha256": .string(sha256),
        ]
        let value = try await ask("verify", arguments)
        switch value?["answer"]?.string {
        case "equal": return .equal
        case "missing": return .missing
        case "differs": return .differs(value?["reason"]?.string.map(children.shown) ?? "it holds other bytes")
        default: return .cannotTell
        }
    }

    func finishRun(_ delivered: [DeliveredFile]) async throws(IngestError) { _ = try await ask("finish") }
}
