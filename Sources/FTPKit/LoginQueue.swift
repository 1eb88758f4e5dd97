import Synchronization

/// Has passwords looked at, each in its turn.
///
/// Each question has a number of its own: a verdict reaches whoever asked, and nobody who came later. A client that goes
/// away before its turn has learned nothing, and takes nobody's time; what was begun for one that goes away later is
/// broken off, and counts all the same.
final class LoginQueue: Sendable {
    private struct Waiting: Sendable {
        var attempt: LoginThrottle.Attempt
        var judge: @Sendable () async -> FTPVerdict
        var answer: CheckedContinuation<FTPVerdict?, Never>
    }
    /// Somebody waits for a verdict that was begun.
    private struct Judged: Sendable {
        var answer: CheckedContinuation<FTPVerdict?, Never>
        var task: Task<Void, Never>?
    }
    private struct State: Sendable {
        /// By number.
        var throttle = LoginThrottle(), waiting: [Int: Waiting] = [:], judged: [Int: Judged] = [:], number = 0
        var alarm: Task<Void, Never>?, isClosed = false
    }
    private let state = Mutex(State())

    /// What the password comes to, once its turn has come; nil when its client has gone or the server ends.
    ///
    /// `whenGone` has what it is given called once the client has gone, at once where it has gone already. The task that
    /// `judge` runs in is cancelled then.
    func answer(
        _ attempt: LoginThrottle.Attempt, whenGone: (_ leave: @escaping @Sendable () -> Void) -> Void,
        _ judge: @escaping @Sendable () async -> FTPVerdict
    ) async -> FTPVerdict? {
        await withCheckedContinuation { continuation in
            let number = state.withLock { state -> Int? in
                guard !state.isClosed else { return nil }
                state.number += 1
                state.waiting[state.number] = Waiting(attempt: attempt, judge: judge, answer: continuation)
                return state.number
            }
            guard let number else { return continuation.resume(returning: nil) }
            whenGone { self.leave(number) }
            look()
        }
    }

    /// True when the address has to wait between passwords.
    func isSlowed(_ network: String) -> Bool { state.withLock { $0.throttle.isSlowed(network, at: .now) } }

    /// Nobody is answered any more.
    func close() {
        let (waiting, judged) = state.withLock { state in
            state.isClosed = true
            state.alarm?.cancel()
            defer { (state.waiting, state.judged) = ([:], [:]) }
            return (Array(state.waiting.values), Array(state.judged.values))
        }
        for one in waiting { one.answer.resume(returning: nil) }
        for one in judged {
            one.task?.cancel()
            one.answer.resume(returning: nil)
        }
    }

    private func leave(_ number: Int) {
        let (waiting, judged) = state.withLock { state in
            (state.waiting.removeValue(forKey: number), state.judged.removeValue(forKey: number))
        }
        judged?.task?.cancel()
        guard let answer = waiting?.answer ?? judged?.answer else { return }
        answer.resume(returning: nil)
        // Others may have waited for its turn only.
        look()
    }

    /// Begins with all whose turn has come, and comes back for the next.
    private func look() {
        let begun = state.withLock { state -> [(Int, Waiting)] in
            var begun: [(Int, Waiting)] = []
            while let (number, one) = Self.next(state) {
                state.throttle.begin(one.attempt)
                state.waiting[number] = nil
                state.judged[number] = Judged(answer: one.answer)
                begun.append((number, one))
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
        for (number, one) in begun { judge(one, number) }
    }

    private func judge(_ one: Waiting, _ number: Int) {
        let task = Task { self.end(one.attempt, of: number, await one.judge()) }
        let isAsked = state.withLock { state in
            state.judged[number]?.task = task
            return state.judged[number] != nil
        }
        // Its client has gone meanwhile, or the verdict was there at once.
        if !isAsked { task.cancel() }
    }

    private func end(_ attempt: LoginThrottle.Attempt, of number: Int, _ verdict: FTPVerdict) {
        let client = state.withLock { state in
            switch verdict {
            case .right: state.throttle.note(attempt, isRight: true, at: .now)
            case .wrong: state.throttle.note(attempt, isRight: false, at: .now)
            case .unknown: state.throttle.noteUnknown(attempt, at: .now)
            }
            state.throttle.end(attempt)
            return state.judged.removeValue(forKey: number)?.answer
        }
        client?.resume(returning: verdict)
        look()
    }

    private static func next(_ state: State) -> (Int, Waiting)? {
        let waiting = Array(state.waiting)
        return state.throttle.first(of: waiting.map { ($0.value.attempt, $0.key) }, at: .now)
            .map { (waiting[$0].key, waiting[$0].value) }
    }
}
