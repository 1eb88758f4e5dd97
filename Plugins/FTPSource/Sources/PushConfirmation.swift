import FilmgateCore
import Synchronization

/// When a client is told that its file is safe: once it is in the inbox, or once a target has it.
enum PushConfirmation: Sendable, Hashable, ConfigValue {
    case spooled
    case delivered(String)

    /// `{ delivered: TARGET }`.
    struct Delivered: ConfigSection {
        var delivered: TargetReference?
        static let schema: Schema<Self> = [
            .field("delivered", \.delivered, "The target that must have the file before its client is told yes.")
                .required()
        ]
    }

    static var kind: ValueKind { .either([.choice(["spooled"]), Delivered.kind]) }
    var shown: String? { self == .spooled ? "spooled" : nil }

    init(node: ConfigNode) throws(ConfigError) {
        if case .map = node.value {
            let target = try Delivered(node: node).delivered
            self = target.map { .delivered($0.name) } ?? .spooled
            return
        }
        let text = try node.text("spooled, or delivered with a target")
        guard text == "spooled" else {
            throw ConfigError(
                node.mark, "unknown-choice", "Expected spooled, or delivered with a target, found `\(text)`.",
                hint: "Write `confirm: spooled` or `confirm: { delivered: TARGET }`.")
        }
        self = .spooled
    }

    var target: String? { if case .delivered(let name) = self { name } else { nil } }
}

/// Clients that wait until a target has their files.
///
/// A file is looked for by its place in the inbox, which changes when it is renamed and when it is taken. Every client
/// gets an answer: when the file's target has it, when it comes to an end, or when its time is up.
final class PushConfirmations: Sendable {
    private enum Answer: Sendable { case safe, notYet(String) }
    private struct Waiting: Sendable {
        var places: [String]
        var answer: Answer?
        var client: CheckedContinuation<Answer, Never>?
    }
    private struct State: Sendable {
        var waiting: [Int: Waiting] = [:], numbers: [String: Int] = [:], last = 0, isClosed = false
    }

    let target: String
    private let time: Duration
    private let state = Mutex(State())

    /// `within` = how long a client waits at most.
    init(_ target: String, within time: Duration) { (self.target, self.time) = (target, time) }

    /// A file has come; before its client asks for it.
    func expect(_ place: String) {
        state.withLock { state in
            guard !state.isClosed, state.numbers[place] == nil else { return }
            state.last += 1
            state.numbers[place] = state.last
            state.waiting[state.last] = Waiting(places: [place])
        }
    }

    /// A client waits for this file, or is about to.
    func isExpected(_ place: String) -> Bool { state.withLock { $0.numbers[place] != nil } }

    /// It lies elsewhere from now on.
    func moved(from old: String, to new: String) {
        state.withLock { state in
            guard let number = state.numbers[old], old != new else { return }
            state.numbers[new] = number
            state.waiting[number]?.places.append(new)
        }
    }

    /// The target has it, or it goes nowhere and never will.
    func confirm(_ place: String) { give(.safe, to: place) }
    /// It was looked for there in vain; whoever waits for it is told so, unless it is known where it went.
    func gone(from place: String) {
        let isElsewhere = state.withLock { state in
            guard let number = state.numbers[place], let last = state.waiting[number]?.places.last else { return false }
            return last != place
        }
        if !isElsewhere { refuse(place, "It is being sent again, or is not here any more.") }
    }
    /// It is not there, and this is why.
    func refuse(_ place: String, _ reason: String) { give(.notYet(reason), to: place) }

    /// No client waits any longer.
    func close() {
        let places = state.withLock { state in
            state.isClosed = true
            return state.waiting.values.compactMap(\.places.first)
        }
        for place in places { refuse(place, Self.stopping) }
    }
    private static let stopping = "The server is stopping; send it again."

    private func give(_ answer: Answer, to place: String) {
        let client = state.withLock { state -> CheckedContinuation<Answer, Never>? in
            guard let number = state.numbers[place], state.waiting[number]?.answer == nil else { return nil }
            state.waiting[number]?.answer = answer
            return state.waiting[number]?.client.take()
        }
        client?.resume(returning: answer)
    }

    /// What the client of a file is told: nil = yes; returns at once where the file was not expected.
    ///
    /// Called once for each.
    func outcome(_ place: String) async -> String? {
        let (known, isClosed) = state.withLock { ($0.numbers[place], $0.isClosed) }
        // Whether the target has it nobody will say any more.
        guard let number = known else { return isClosed ? Self.stopping : nil }
        let alarm = Task { [time, weak self, target] in
            if (try? await Task.sleep(for: time)) != nil {
                self?.refuse(place, "\(target) does not have it yet; send it again later.")
            }
        }
        let answer = await withCheckedContinuation { client in
            let known = state.withLock { state -> Answer? in
                if state.waiting[number]?.answer == nil { state.waiting[number]?.client = client }
                return state.waiting[number]?.answer
            }
            if let known { client.resume(returning: known) }
        }
        alarm.cancel()
        state.withLock { state in
            for place in state.waiting.removeValue(forKey: number)?.places ?? [] where state.numbers[place] == number {
                state.numbers[place] = nil
            }
        }
        return switch answer {
        case .safe: nil
        case .notYet(let reason): reason
        }
    }
}
