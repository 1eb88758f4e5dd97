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
    fileprivate enum Answer: Sendable { case safe, notYet(String) }
    fileprivate struct Waiting: Sendable {
        var inode: UInt64
        var answer: Answer?
        var client: CheckedContinuation<Answer, Never>?
    }
    fileprivate struct State: Sendable {
        var waiting: [Ticket: Waiting] = [:], last = 0, isClosed = false
        /// Clients without an answer, by their files: several where one went on with what another one had sent.
        var tickets: [UInt64: [Ticket]] = [:]
    }

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
            if !state.isClosed { state.tickets[inode, default: []].append(state.last) }
            return state.last
        }
    }

    /// A client waits for this file, or is about to.
    func isExpected(_ inode: UInt64) -> Bool { state.withLock { $0.tickets[inode] != nil } }

    /// The target has it, or it goes nowhere and never will.
    func confirm(_ inode: UInt64) { give(.safe, to: inode) }
    /// It was looked for in vain.
    func gone(_ inode: UInt64) { refuse(inode, "It is being sent again, or is not here any more.") }
    /// It is not there, and this is why.
    func refuse(_ inode: UInt64, _ reason: String) { give(.notYet(reason), to: inode) }

    /// No client waits any longer.
    func close() {
        let inodes = state.withLock { state in
            state.isClosed = true
            return Array(state.tickets.keys)
        }
        for inode in inodes { refuse(inode, Self.stopping) }
    }
    private static let stopping = "The server is stopping; send it again."

    private func give(_ answer: Answer, to inode: UInt64) {
        let clients = state.withLock { state in
            (state.tickets.removeValue(forKey: inode) ?? []).compactMap { state.settle($0, answer) }
        }
        for client in clients { client.resume(returning: answer) }
    }

    /// What the client of a file is told: nil = yes.
    func outcome(_ ticket: Ticket) async -> String? {
        let alarm = Task { [time, weak self] in
            if (try? await Task.sleep(for: time)) != nil { self?.giveUp(ticket) }
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

    /// Its time is up.
    private func giveUp(_ ticket: Ticket) {
        let answer = Answer.notYet("\(target) does not have it yet; send it again later.")
        let client = state.withLock { state in
            if let inode = state.waiting[ticket]?.inode {
                let others = (state.tickets[inode] ?? []).filter { $0 != ticket }
                state.tickets[inode] = others.isEmpty ? nil : others
            }
            return state.settle(ticket, answer)
        }
        client?.resume(returning: answer)
    }
}

extension PushConfirmations.State {
    /// Who is to be told of it now; nil where it was answered before, or its client does not ask yet.
    fileprivate mutating func settle(
        _ ticket: PushConfirmations.Ticket, _ answer: PushConfirmations.Answer
    ) -> CheckedContinuation<PushConfirmations.Answer, Never>? {
        guard let one = waiting[ticket], one.answer == nil else { return nil }
        waiting[ticket]?.answer = answer
        return waiting[ticket]?.client.take()
    }
}
