import NIOCore
import Synchronization

/// Looks at passwords one after the other, each in its turn.
///
/// A client that goes away before its turn has learned nothing, and takes nobody's time.
final class LoginQueue: Sendable {
    private struct Waiting: Sendable {
        var attempt: LoginThrottle.Attempt, number: Int
        var judge: @Sendable () -> Bool
        /// True or false = the password's answer; nil = there is nobody to answer.
        var answer: CheckedContinuation<Bool?, Never>
    }
    private struct State: Sendable {
        var throttle = LoginThrottle(), waiting: [ObjectIdentifier: Waiting] = [:], number = 0
        var alarm: Task<Void, Never>?, isClosed = false
    }
    private let state = Mutex(State())

    /// Whether the password is right, once its turn has come; nil when its client has gone or the server ends.
    func answer(
        _ attempt: LoginThrottle.Attempt, for channel: any Channel, _ judge: @escaping @Sendable () -> Bool
    ) async -> Bool? {
        let key = ObjectIdentifier(channel)
        return await withCheckedContinuation { continuation in
            let isTaken = state.withLock { state in
                guard !state.isClosed, state.waiting[key] == nil else { return false }
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
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for one in left { one.answer.resume(returning: nil) }
    }

    private func leave(_ key: ObjectIdentifier) {
        guard let one = state.withLock({ $0.waiting.removeValue(forKey: key) }) else { return }
        one.answer.resume(returning: nil)
        // Others may have waited for its turn only.
        look()
    }

    /// Answers all whose turn has come, and comes back for the next.
    private func look() {
        let answers = state.withLock { state -> [(CheckedContinuation<Bool?, Never>, Bool)] in
            var answers: [(CheckedContinuation<Bool?, Never>, Bool)] = []
            while let (key, one) = Self.next(state) {
                let isRight = one.judge()
                state.throttle.note(one.attempt, isRight: isRight, at: .now)
                state.waiting[key] = nil
                answers.append((one.answer, isRight))
            }
            state.alarm?.cancel()
            let now = ContinuousClock.now
            // Whoever waits only for another's turn is looked at after that.
            let due = state.waiting.values.map { state.throttle.due($0.attempt, at: now) }.filter { $0 > now }.min()
            state.alarm = due.map { due in
                Task {
                    try? await Task.sleep(until: due, clock: .continuous)
                    if !Task.isCancelled { self.look() }
                }
            }
            return answers
        }
        for (answer, isRight) in answers { answer.resume(returning: isRight) }
    }

    private static func next(_ state: State) -> (ObjectIdentifier, Waiting)? {
        let waiting = Array(state.waiting)
        return state.throttle.first(of: waiting.map { ($0.value.attempt, $0.value.number) }, at: .now)
            .map { (waiting[$0].key, waiting[$0].value) }
    }
}
