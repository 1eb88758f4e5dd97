import FilmgateCore
import Synchronization

/// How long a silent camera is waited for.
extension ReconnectingCamera {
    func expectAnswers(within limit: Duration) {
        let isFirst = state.withLock { state in
            defer { state.limit = min(state.limit ?? limit, limit) }
            return state.limit == nil
        }
        if limit == .zero { return giveUp() }
        if isFirst { Task { await watchSilence() } }
    }

    /// Nobody waits for this camera any more, and it is not come back to.
    var isGivenUp: Bool { state.withLock(\.isGivenUp) }

    private func giveUp() {
        let camera = state.withLock { state in
            state.isGivenUp = true
            return state.camera
        }
        camera.stop()
    }

    private func watchSilence() async {
        var since = ContinuousClock.now
        while !isClosed, !isGivenUp {
            try? await Task.sleep(for: .milliseconds(50))
            let (camera, waiting, limit) = state.withLock { ($0.camera, $0.waiting, $0.limit) }
            if waiting == 0 { since = .now }
            if let limit, .now - max(since, camera.heard.time) >= limit { giveUp() }
        }
    }

    /// Says which file is on its way; nil for none.
    func note(file: String?) { state.withLock { $0.file = file } }

    /// Runs `body`, which waits for the camera.
    func waiting<R, E: Error>(_ body: () async throws(E) -> R) async throws(E) -> R {
        state.withLock { state in
            if state.waiting == 0 { state.since = .now }
            state.waiting += 1
        }
        defer { state.withLock { $0.waiting -= 1 } }
        return try await body()
    }

    var unanswered: DeviceSilence? {
        state.withLock { state in
            guard state.waiting > 0 else { return nil }
            return DeviceSilence(since: max(state.since, state.camera.heard.time), file: state.file)
        }
    }

    /// What `task` comes to; `gone` when the camera is given up or the caller is cancelled before: the task goes on
    /// alone.
    func answer<R: Sendable>(of task: Task<Result<R, PTPError>, Never>) async throws(PTPError) -> R {
        let (answers, feed) = AsyncStream<Result<R, PTPError>>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let listening = Task { feed.yield(await task.value) }
        let looking = Task {
            while !Task.isCancelled, !isGivenUp { try? await Task.sleep(for: .milliseconds(50)) }
            feed.finish()
        }
        defer {
            listening.cancel()
            looking.cancel()
        }
        for await answer in answers { return try answer.get() }
        throw .gone("it is not waited for any longer")
    }

    /// A pause between two tries.
    func rest(_ pause: Duration) async {
        let end = ContinuousClock.now + pause
        while ContinuousClock.now < end, !isGivenUp, !isClosed, !Task.isCancelled {
            try? await Task.sleep(for: min(end - .now, .milliseconds(50)))
        }
    }
}
