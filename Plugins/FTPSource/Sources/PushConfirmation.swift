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
/// A file is known by its inode: its place in the inbox changes when it is renamed or taken, and the next file may come
/// to the place that it left. Every client gets an answer: when the file's target has it, when it comes to an end, or
/// when its time is up.
final class PushConfirmations: Sendable {
    /// One client that waits.
    typealias Ticket = Int
    private enum Answer: Sendable { case safe, notYet(String) }
    private struct Waiting: Sendable {
        var inode: UInt64
        var answer: Answer?
        var client: CheckedContinuation<Answer, Never>?
    }
    /// Few at once: each holds a connection.
    private struct State: Sendable { var waiting: [Ticket: Waiting] = [:], last = 0, isClosed = false }

    let target: String
    private let time: Duration
    private let state = Mutex(State())

    /// `within` = how long a client waits at most.
    init(_ target: String, within time: Duration) { (self.target, self.time) = (target, time) }

    /// A file has come; before its client asks for it with the ticket, once.
    func expect(_ inode: UInt64) -> Ticket {
        state.withLock { state in
            state.last += 1
            state.waiting[state.last] = Waiting(inode: inode, answer: state.isClosed ? .notYet(Self.stopping) : nil)
            return state.last
        }
    }

    /// A client waits for this file, or is about to.
    func isExpected(_ inode: UInt64) -> Bool {
        state.withLock { $0.waiting.values.contains { $0.inode == inode && $0.answer == nil } }
    }

    /// The target has it, or it goes nowhere and never will.
    func confirm(_ inode: UInt64) { give(.safe) { $1 == inode } }
    /// It was looked for in vain.
    func gone(_ inode: UInt64) { refuse(inode, "It is being sent again, or is not here any more.") }
    /// It is not there, and this is why.
    func refuse(_ inode: UInt64, _ reason: String) { give(.notYet(reason)) { $1 == inode } }

    /// No client waits any longer.
    func close() {
        state.withLock { $0.isClosed = true }
        give(.notYet(Self.stopping)) { _, _ in true }
    }
    private static let stopping = "The server is stopping; send it again."

    /// To whoever of those that are meant, by ticket and file, has no answer yet.
    private func give(_ answer: Answer, to isMeant: (Ticket, UInt64) -> Bool) {
        let clients = state.withLock { state in
            var clients: [CheckedContinuation<Answer, Never>] = []
            for (ticket, one) in state.waiting where one.answer == nil && isMeant(ticket, one.inode) {
                state.waiting[ticket]?.answer = answer
                if let client = state.waiting[ticket]?.client.take() { clients.append(client) }
            }
            return clients
        }
        for client in clients { client.resume(returning: answer) }
    }

    /// What the client of a file is told: nil = yes.
    func outcome(_ ticket: Ticket) async -> String? {
        let alarm = Task { [time, target, weak self] in
            guard (try? await Task.sleep(for: time)) != nil else { return }
            self?.give(.notYet("\(target) does not have it yet; send it again later.")) { one, _ in one == ticket }
        }
        let answer = await withCheckedContinuation { client in
            let known = state.withLock { state -> Answer? in
                guard let waiting = state.waiting[ticket] else { return .notYet(Self.stopping) }
                if waiting.answer == nil { state.waiting[ticket]?.client = client }
                return waiting.answer
            }
            if let known { client.resume(returning: known) }
        }
        alarm.cancel()
        state.withLock { _ = $0.waiting.removeValue(forKey: ticket) }
        return switch answer {
        case .safe: nil
        case .notYet(let reason): reason
        }
    }
}
