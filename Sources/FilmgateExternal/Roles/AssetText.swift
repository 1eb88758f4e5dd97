import FilmgateCore
import HTTPKit

/// Assets, files and receipts as a child reads and writes them.
enum AssetText {
    static func json(_ asset: Asset) -> JSONObject {
        var facts: JSONObject = [
            "name": .string(asset.origin.name), "source": .string(asset.origin.path),
            "kind": .string(asset.kind.rawValue), "size": .count(asset.origin.size), "shot": .string(asset.shot.key),
            "flags": .texts(asset.flags.sorted()), "modified": .number(Double(asset.origin.modified) / 1e9),
        ]
        if let file = asset.file { (facts["file"], facts["size"]) = (.string(file.path), .count(file.size)) }
        if let digests = asset.digests { facts["sha256"] = .string(digests.sha256) }
        facts["media"] = asset.media.map(json)
        return facts
    }

    static func json(_ media: MediaFacts) -> JSONValue {
        var facts: JSONObject = [:]
        for (name, text) in [
            ("make", media.make), ("model", media.model), ("serial", media.serial), ("owner", media.owner),
            ("artist", media.artist), ("lens", media.lensModel), ("captured", media.captured?.description),
            ("exposure", media.exposureTime?.description),
            ("aperture", media.fNumber?.description), ("focalLength", media.focalLength?.description),
        ] {
            if let text { facts[name] = .string(text) }
        }
        for (name, number) in [
            ("iso", media.iso), ("orientation", media.orientation), ("width", media.width), ("height", media.height),
            ("rating", media.rating),
        ] {
            if let number { facts[name] = .integer(Int64(number)) }
        }
        if let seconds = media.duration, seconds.isFinite { facts["duration"] = .number(seconds) }
        if let place = media.position {
            facts["latitude"] = .number(place.latitude)
            facts["longitude"] = .number(place.longitude)
        }
        return .object(facts)
    }

    static func json(_ job: UploadJob) -> JSONObject {
        var facts = json(job.asset)
        facts["file"] = .string(job.file.path)
        facts["size"] = .count(job.file.size)
        facts["sha256"] = .string(job.digests.sha256)
        facts["digests"] = .object(JSONObject(job.digests.others.map { ($0.key.rawValue, .string($0.value)) }))
        facts["path"] = .string(job.path.isEmpty ? job.name : job.path)
        facts["name"] = .string(job.name)
        facts["event"] = .text(job.event)
        return facts
    }

    static func json(_ receipt: Receipt) -> JSONValue {
        let path = receipt.id.flatMap { $0.hasPrefix(pathMark) ? String($0.dropFirst(pathMark.count)) : nil }
        return .object([
            "path": .text(path ?? receipt.path), "url": .text(receipt.url), "id": .text(path == nil ? receipt.id : nil),
            "sha256": .text(receipt.sha256), "verified": .string(receipt.verified.shown),
        ])
    }

    /// What a module calls a path is one at its own place: kept as an id, so that nobody looks for it among this
    /// machine's files.
    private static let pathMark = "path:"

    /// Whether what a module calls something can be kept, and given back to it as it was.
    static func canBeKept(_ text: String) -> Bool {
        text.utf8.count <= 4096 && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    /// A child's receipt for `job`, believed as far as it says what it is about.
    ///
    /// `unavailable` when it says nothing, `corruptData` when it is about other bytes, `rejected` when what it says
    /// cannot be kept.
    static func receipt(
        _ value: JSONValue, for job: UploadJob, _ module: String, existed: Bool = false
    ) throws(IngestError) -> Receipt {
        func told(_ name: String) -> String? { value[name]?.text.flatMap { $0.isEmpty ? nil : $0 } }
        // The module gets them back as they were, with every space; what is shown is cleaned where it is shown.
        let url = told("url"), id = told("id") ?? told("path").map { pathMark + $0 }
        guard [url, id].allSatisfy({ $0.map(canBeKept) ?? true }) else {
            // Sent again, it would be called so again.
            throw IngestError(
                .rejected,
                "The module `\(module)` calls \(job.name) by more than 4096 bytes, or by control characters: "
                    + "the file may have arrived."
            )
        }
        guard url != nil || id != nil else {
            throw IngestError(.unavailable, "The module `\(module)` did not say what \(job.name) is called there.")
        }
        if let digest = value["sha256"]?.string, digest.lowercased() != job.digests.sha256 {
            throw IngestError(.corruptData, "The module `\(module)` delivered other bytes than those of \(job.name).")
        }
        let claimed = value["verified"]?.string.flatMap { Receipt.Proof(rawValue: $0) } ?? .none
        // Proof is about a digest: who does not say one has none. A module speaks for its target, not for stations.
        let isNone = value["sha256"]?.string == nil && claimed != .size || claimed == .hearsay
        let proof = isNone ? Receipt.Proof.none : claimed
        return Receipt(
            state: .done, url: url, id: id, sha256: job.digests.sha256, verified: proof, at: WallClock.nanoseconds,
            existed: existed || value["existed"]?.flag == true)
    }
}
