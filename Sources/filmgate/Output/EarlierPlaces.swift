import FilmgateCore
import FilmgateEngine
import Synchronization

/// What an import does not touch, and a person should know at its end: what still waits at an address that the pipeline
/// had before, and copies that the same frames have in another event.
final class EarlierPlaces: Sendable {
    private struct State {
        var targets: [(name: String, identity: String)] = []
        /// What targets have for the run's event that they had not before, whatever it waits for elsewhere.
        var sent: Set<ContentKey> = []
        /// In a run without an event, files that an event has or gets.
        var belonging: [String: Int] = [:]
        /// In a run with an event that was only chosen, files that targets have or get without one.
        var eventless = 0
    }
    private let event: String?
    private let state = Mutex(State())

    /// `event`: that of the run.
    init(event: String?) { self.event = event }

    func expect(_ plan: Plan) {
        state.withLock { $0.targets = plan.connections.map { ($0.name, $0.target.traits.identity) } }
    }

    @Sendable func note(_ runEvent: RunEvent) {
        guard case .settled(let settled) = runEvent else { return }
        if event == nil, let other = settled.event, other != DeliveryRow.unassigned {
            state.withLock { $0.belonging[other, default: 0] += 1 }
        }
        // What is left to another event as a whole is told with its reason, file by file.
        if event != nil, settled.event == nil, settled.isOfOtherEvent, settled.reason == nil {
            state.withLock { $0.eventless += 1 }
        }
        guard let event, settled.event == event, settled.isSent else { return }
        guard let content = settled.content ?? settled.asset.digests.map({ ContentKey(sha256: $0.sha256) }) else {
            return
        }
        state.withLock { _ = $0.sent.insert(content) }
    }

    /// Nothing where the ledger cannot be read: the run has said so.
    func remarks(_ reader: any LedgerReader) async -> [String] {
        let state = state.withLock { $0 }, targets = state.targets
        if targets.isEmpty { return [] }
        var belonging = state.belonging.sorted { $0.key < $1.key }.map { Self.belonging($1, to: $0) }
        if state.eventless > 0, let event { belonging.append(Self.eventless(state.eventless, event)) }
        guard let totals = try? await reader.totals() else { return belonging }
        let others = totals.targets.filter { other in
            targets.contains { $0.name == other.name } && !targets.contains { $0.identity == other.identity }
        }
        if others.isEmpty { return belonging }
        var lines = belonging
        for other in others where !targets.contains(where: { isEvent(other.identity, of: $0.identity) }) {
            let count = [Receipt.State.pending, .held, .failed].reduce(0) { $0 + (other.states[$1] ?? 0) }
            if count > 0 { lines.append(Self.waiting(count, at: Describe.name(TargetLabel.place(of: other.identity)))) }
        }
        lines += await doubled(state.sent, reader)
        return lines
    }

    private static func belonging(_ count: Int, to event: String) -> String {
        "note: \(Describe.count(count, "file")) of these \(count == 1 ? "belongs" : "belong") to the event \(Describe.name(event)); "
            + "what is there for it is not sent again without an event. `--event NAME` says which one is meant."
    }

    private static func eventless(_ count: Int, _ event: String) -> String {
        "note: \(Describe.count(count, "file")) of these \(count == 1 ? "was" : "were") taken without an event before, and "
            + "\(count == 1 ? "stays" : "stay") so: an event that was only chosen orders nothing. "
            + "`--event \(ShellWord.quoted(event))` orders them for that one, too."
    }

    private static func waiting(_ count: Int, at place: String) -> String {
        "note: \(Describe.count(count, "older delivery", "older deliveries")) still \(count == 1 ? "waits" : "wait") at \(place). "
            + "`filmgate retry` sends them there; `filmgate cancel --target '\(place)'` takes them back."
    }

    /// Whether the one is the same place as the other, for another event or for none.
    private func isEvent(_ other: String, of own: String) -> Bool {
        let base = event.flatMap { own.hasSuffix(":" + $0) ? String(own.dropLast($0.count + 1)) : nil } ?? own
        return other == base || other.hasPrefix(base + ":")
    }

    /// An event that was named gets copies of its own, also of frames that another has or is still to get: it is an
    /// order, and may be a mistake.
    private func doubled(_ sent: Set<ContentKey>, _ reader: any LedgerReader) async -> [String] {
        guard let event else { return [] }
        var counts: [String: Int] = [:]
        for content in sent {
            let rows = (try? await reader.deliveries(of: content)) ?? []
            let before = Set(rows.filter { $0.receipt.state != .excluded && !$0.isUnassigned }.compactMap(\.event))
                .subtracting([event])
            for name in before { counts[name, default: 0] += 1 }
        }
        return counts.sorted { $0.key < $1.key }.map { name, count in
            let (are, stay) = count == 1 ? ("is", "stays") : ("are", "stay")
            return
                "note: \(Describe.count(count, "file")) of these \(are) in the event \(Describe.name(name)) already, and "
                + "\(stay) there: \(Describe.name(event)) got copies of its own. "
                + "Without --event nothing that is in an event is delivered to another."
        }
    }
}
