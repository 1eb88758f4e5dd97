import FilmgateCore
import HTTPKit

/// Puts the files of a shot together that were delivered one after the other.
struct DeliveredShotGrouper: Sendable {
    struct ShotGroup: Sendable {
        var asset: Asset
        /// Nil where it is that of the run.
        var event: String?
        var files: [Asset] = []
        var last: ContinuousClock.Instant
    }
    private var shots: [String: ShotGroup] = [:]
    /// A shot is told of when nothing more came for so long.
    static let quiet = Duration.milliseconds(500)

    var isEmpty: Bool { shots.isEmpty }

    mutating func add(_ settled: AssetResult, at now: ContinuousClock.Instant) {
        let asset = settled.asset, key = "\(asset.origin.volume)\u{1F}\(asset.shot.key)"
        var group = shots[key] ?? ShotGroup(asset: asset, event: settled.event, last: now)
        if let index = group.files.firstIndex(where: { $0.id == asset.id }) {
            // Ended, and taken up again for a mark: one file, with what it said first of each target.
            group.files[index].receipts.merge(asset.receipts) { $0.state == .done ? $0 : $1 }
        } else {
            group.files.append(asset)
        }
        group.last = now
        shots[key] = group
    }

    /// Those that nothing more came for; with `all`, every one.
    mutating func take(at now: ContinuousClock.Instant, all: Bool = false) -> [JSONObject] {
        let ready = shots.filter { all || now - $0.value.last >= Self.quiet }
        for key in ready.keys { shots[key] = nil }
        return ready.values.sorted { $0.last < $1.last }.map { shot -> JSONObject in
            var facts: JSONObject = [
                "shot": .string(shot.asset.shot.stem), "source": .string(shot.asset.origin.root),
                "files": .array(shot.files.map(Self.file)),
            ]
            if let event = shot.event { facts["event"] = .string(event) }
            return facts
        }
    }

    private static func file(_ asset: Asset) -> JSONValue {
        var receipts: JSONObject = [:]
        for (target, receipt) in asset.receipts where receipt.state == .done {
            receipts[target] = .object([
                "path": .text(receipt.path), "url": .text(receipt.url), "id": .text(receipt.id),
                "verified": .string(receipt.verified.shown), "existed": .bool(receipt.existed),
            ])
        }
        return .object([
            "path": .string(asset.origin.path), "kind": .string(asset.kind.rawValue), "size": .count(asset.origin.size),
            "sha256": .text(asset.digests?.sha256), "receipts": .object(receipts),
        ])
    }
}
