package import FilmgateCore

/// Keeps the finished files of a shot back while others of it are being written, and sidecars while their picture is
/// not there.
package struct ShotHold: Sendable {
    private struct Held: Sendable { var entries: [SourceEntry], since: ContinuousClock.Instant, near: String }
    private static let remembered = 2048

    package let patience: Duration
    private var held: [String: Held] = [:], order: [String] = []
    /// Keys of shots whose picture was handed on lately.
    private var pictures: Set<String> = [], pictureOrder: [String] = []

    package init(_ patience: Duration) { self.patience = patience }

    package var isEmpty: Bool { held.isEmpty }
    package var waiting: [SourceEntry] { order.flatMap { held[$0]?.entries ?? [] } }
    package var lately: Set<String> { pictures }

    /// `near` = the key under which its companions are pending.
    package mutating func add(_ entry: SourceEntry, near: String, at now: ContinuousClock.Instant) {
        let key = entry.shot.key
        if held[key] == nil {
            held[key] = Held(entries: [], since: now, near: near)
            order.append(key)
        }
        held[key]?.entries.append(entry)
    }

    /// Shots that need wait no longer, each with its primary first; `writing` tells how many files of a shot are
    /// pending.
    package mutating func ready(at now: ContinuousClock.Instant, writing: (String) -> Bool) -> [[SourceEntry]] {
        var ready: [[SourceEntry]] = [], left: [String] = []
        for key in order {
            guard let shot = held[key] else { continue }
            let alone = shot.entries.allSatisfy { $0.kind.follows && $0.fate == .take } && !pictures.contains(key)
            if writing(shot.near) || alone, now - shot.since < patience {
                left.append(key)
                continue
            }
            held[key] = nil
            remember(shot.entries)
            ready.append(
                shot.entries.enumerated().sorted {
                    ($0.element.kind.rank, $0.offset) < ($1.element.kind.rank, $1.offset)
                }.map(\.element))
        }
        order = left
        return ready
    }

    /// When the first shot is let go at the latest.
    package var nextDue: ContinuousClock.Instant? { held.values.map(\.since).min().map { $0 + patience } }

    package mutating func remember(_ entries: [SourceEntry]) {
        guard let picture = entries.first(where: { !$0.kind.follows && $0.fate == .take }) else { return }
        guard pictures.insert(picture.shot.key).inserted else { return }
        pictureOrder.append(picture.shot.key)
        if pictureOrder.count > Self.remembered { pictures.remove(pictureOrder.removeFirst()) }
    }
}
