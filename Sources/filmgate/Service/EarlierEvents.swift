import FilmgateCore
import FilmgateEngine
import Synchronization

/// Sends what waits for other events than the one that the run has now: the run's own targets are those of its event.
///
/// By jobs of the run, such as `filmgate retry` is, ever more rarely as long as something waits. While nothing does, or
/// nothing but what somebody has yet to mark, it sleeps until something is left waiting or marked.
final class EarlierEvents: Sendable {
    private static let first = Duration.seconds(2), most = Duration.seconds(300)
    private struct State {
        var task: Task<Void, Never>?, wake: AsyncStream<Void>.Continuation?, pause: ShortenedPause?
        /// Whether these marks, or with nil any, are about what waits for another event.
        var concern: (@Sendable (Set<String>?) async -> Bool)?
    }
    private let state = Mutex(State())

    /// From now on the run has this event; `retry` sends what waits, and returns when nothing more moves.
    ///
    /// What the run itself sends, because its files brought that event with them, needs no job.
    func begin(
        with event: String?, _ reader: any LedgerReader, _ leases: DeliveryLeases,
        retry: @escaping @Sendable () async -> Void
    ) {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let between = ShortenedPause()
        let task = Task {
            var pause = Self.first, woken = wakes.makeAsyncIterator()
            while true {
                let isMarked = await between.take(pause)
                if Task.isCancelled { return }
                pause = isMarked ? Self.first : min(pause * 2, Self.most)
                let waiting = await Result { () async throws(IngestError) in
                    try await Self.sendable(besides: event, reader)
                }
                guard let others = try? waiting.get() else { continue }
                if others.isEmpty {
                    // A mark that nobody told of is found, too, if later.
                    let look = Task { if (try? await Task.sleep(for: Self.most)) != nil { wake.yield() } }
                    defer { look.cancel() }
                    guard await woken.next() != nil else { return }
                    pause = Self.first
                } else if others.contains(where: { !leases.isTaken($0.delivery) }) {
                    await retry()
                }
            }
        }
        let concern: @Sendable (Set<String>?) async -> Bool = { sha256s in
            let judged = await Result { () async throws(IngestError) in try await reader.queue(judgedBy: sha256s) }
            // Whatever cannot be read now is looked at once more.
            guard let rows = try? judged.get() else { return true }
            return rows.contains { Self.isOfAnother($0, than: event) }
        }
        replace(by: State(task: task, wake: wake, pause: between, concern: concern))
    }

    func end() { replace(by: State()) }

    /// Something may be left waiting: looks whether it is for another event.
    @Sendable func look() { state.withLock { _ = $0.wake?.yield() } }

    /// Somebody marked these pictures, or with nil any: what waits for that and for another event is sent at once,
    /// however rarely it was tried up to now.
    func marked(_ sha256s: Set<String>?) async {
        let now = state.withLock(\.self)
        guard await now.concern?(sha256s) == true else { return }
        now.pause?.shorten()
        now.wake?.yield()
    }

    private func replace(by next: State) {
        state.withLock { state in
            defer { state = next }
            return state.task
        }?.cancel()
    }

    /// What waits for another event, and no mark keeps from being sent: of the rest every try would come to the same.
    private static func sendable(
        besides event: String?, _ reader: any LedgerReader
    ) async throws(IngestError) -> [QueuedDelivery] {
        let others = try await reader.queue([.pending, .held]).filter { isOfAnother($0, than: event) }
        let marks = try await EarlierDeliveries.marks(of: others.map(\.delivery), reader)
        return others.filter { one in
            guard let gate = one.delivery.gate else { return true }
            return gate.decision(on: marks[gate.sha256] ?? PictureMark()) == .takes
        }
    }

    private static func isOfAnother(_ waiting: QueuedDelivery, than event: String?) -> Bool {
        !waiting.delivery.isUnassigned && waiting.delivery.event != event
    }
}

/// A pause that somebody can end, also before it begins.
private final class ShortenedPause: Sendable {
    private struct State { var pause: Task<Void, Never>?, isShortened = false }
    private let state = Mutex(State())

    /// Waits that long, or until it is shortened; true where it was.
    func take(_ time: Duration) async -> Bool {
        let pause = Task<Void, Never> { _ = try? await Task.sleep(for: time) }
        state.withLock { state in
            state.pause = pause
            if state.isShortened { pause.cancel() }
        }
        await withTaskCancellationHandler {
            await pause.value
        } onCancel: {
            pause.cancel()
        }
        return state.withLock { state in
            defer { (state.pause, state.isShortened) = (nil, false) }
            return state.isShortened
        }
    }

    func shorten() {
        state.withLock { state in
            state.isShortened = true
            state.pause?.cancel()
        }
    }
}
