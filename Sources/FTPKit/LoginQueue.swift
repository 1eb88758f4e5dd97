import NIOCore
import Synchronization

/// Has passwords looked at, each in its turn.
///
/// A client that goes away before its turn has learned nothing, and takes nobody's time; what was begun for one that
/// goes away later counts all the same.
final class LoginQueue: Sendable {
    private struct Waiting: Sendable {
        var attempt: LoginThrottle.Attempt, number: Int
        var judge: @Sendable () async -> FTPVerdict
        /// Nil = there is nobody to answer.
        var answer: CheckedContinuation<FTPVerdict?, Never>
    }
    private struct State: Sendable {
        var throttle = LoginThrottle(), waiting: [ObjectIdentifier: Waiting] = [:], number = 0
        /// Who waits for a verdict that was begun.
        var judged: [ObjectIdentifier: CheckedContinuation<FTPVerdict?, Never>] = [:]
        var alarm: Task<Void, Never>?, isClosed = false
    }
    private let state = Mutex(State())

    /// What the password comes to, once its turn has come; nil when its client has gone or the server ends.
    func answer(
        _ attempt: LoginThrottle.Attempt, for channel: any Channel, _ judge: @escaping @Sendable () async -> FTPVerdict
    ) async -> FTPVerdict? {
        let key = ObjectIdentifier(channel)
        return await withCheckedContinuation { continuation in
            let isTaken = state.withLock { state in
                guard !state.isClosed, state.waiting[key] == nil, state.judged[key] == nil else { return false }
                state.number += 1
                state.waiting[key] = Waiting(attempt: attempt, number: state.number, judge: judge, answer: continuation)
                return true
            }
            guard isTaken else { return continuation.resume(returning: nil) }
            // Told at once where it is closed already.
            channel.closeFuture.whenComplete { _ in self.leave(key) }
            look()
        }
    }

    /// True when the address has to wait between passwords.
    func isSlowed(_ network: String) -> Bool { state.withLock { $0.throttle.isSlowed(network, at: .now) } }

    /// Nobody is answered any more.
    func close() {
        let left = state.withLock { state in
            state.isClosed = true
            state.alarm?.cancel()
            defer { (state.waiting, state.judged) = ([:], [:]) }
            return state.waiting.values.map(\.answer) + state.judged.values
        }
        for one in left { one.resume(returning: nil) }
    }

    private func leave(_ key: ObjectIdentifier) {
        let left = state.withLock { state in
            state.waiting.removeValue(forKey: key)?.answer ?? state.judged.removeValue(forKey: key)
        }
        guard let left else { return }
        left.resume(returning: nil)
        // Others may have waited for its turn only.
        look()
    }

    /// Begins with all whose turn has come, and comes back for the next.
    private func look() {
        let begun = state.withLock { state -> [(ObjectIdentifier, Waiting)] in
            var begun: [(ObjectIdentifier, Waiting)] = []
            while let (key, one) = Self.next(state) {
                state.throttle.begin(one.attempt)
                state.waiting[key] = nil
                state.judged[key] = one.answer
                begun.append((key, one))
            }
            state.alarm?.cancel()
            let now = ContinuousClock.now
            // Whoever waits only for another's turn, or for what that comes to, is looked at after that.
            let due = state.waiting.values.map { state.throttle.due($0.attempt, at: now) }.filter { $0 > now }.min()
            state.alarm = due.map { due in
                Task {
                    try? await Task.sleep(until: due, clock: .continuous)
                    if !Task.isCancelled { self.look() }
                }
            }
            return begun
        }
        for (key, one) in begun { Task { self.end(one.attempt, of: key, await one.judge()) } }
    }

    private func end(_ attempt: LoginThrottle.Attempt, of key: ObjectIdentifier, _ verdict: FTPVerdict) {
        let client = state.withLock { state in
            switch verdict {
            case .right: state.throttle.note(attempt, isRight: true, at: .now)
            case .wrong: state.throttle.note(attempt, isRight: false, at: .now)
            case .unknown: break
            }
            state.throttle.end(attempt)
            return state.judged.removeValue(forKey: key)
        }
        client?.resume(returning: verdict)
        look()
    }

    private static func next(_ state: State) -> (ObjectIdentifier, Waiting)? {
        let waiting = Array(state.waiting)
        return state.throttle.first(of: waiting.map { ($0.value.attempt, $0.value.number) }, at: .now)
            .map { (waiting[$0].key, waiting[$0].value) }
    }
}
