import FilmgateCore
import Synchronization

/// Remembers which targets a file with certain facts should have reached: a card has thousands of files and a handful
/// of answers.
final class WantedCache: Sendable {
    private struct Key: Hashable {
        var make: String?, model: String?, serial: String?, owner: String?, kind: MediaKind, size: UInt64, ext: String
        var pixels: Int
    }
    private let plan: Plan
    private let sized: Bool, named: Bool, measured: Bool, ruled: Bool
    private struct State { var answers: [Key: [String]] = [:], last: (key: Key, answer: [String])? }
    private let state = Mutex(State())

    init(_ plan: Plan) {
        self.plan = plan
        sized = plan.targets.contains { $0.traits.maxSize != nil }
        named = plan.targets.contains { $0.traits.extensions != nil }
        measured = plan.targets.contains { $0.traits.maxPixels != nil }
        ruled = plan.hasRules
    }

    @Sendable func wanted(_ known: KnownFile, in shot: KnownShot = KnownShot()) -> [String] {
        // What rules look at differs from file to file.
        if ruled { return plan.wanted(known, in: shot) }
        let key = Key(
            make: known.make, model: known.model, serial: known.serial, owner: known.owner, kind: known.kind,
            size: sized ? known.fingerprint.size : 0,
            ext: named ? FileName(known.fingerprint.path).ext.lowercased() : "",
            pixels: measured ? known.pixels ?? 0 : 0)
        if let answer = state.withLock({ Self.answer(key, &$0) }) { return answer }
        let answer = plan.wanted(known)
        state.withLock { $0.answers[key] = answer }
        return answer
    }

    /// Neighbours on a card are mostly alike: comparing takes a fraction of what looking up does.
    private static func answer(_ key: Key, _ state: inout State) -> [String]? {
        if let last = state.last, last.key == key { return last.answer }
        guard let answer = state.answers[key] else { return nil }
        state.last = (key, answer)
        return answer
    }
}
