import FilmgateCore
import FilmgateEngine
import Synchronization

/// Sends what waits for other events than the one that the run has now: the run's own targets are those of its event.
///
/// By jobs of the run, such as `filmgate retry` is, ever more rarely as long as something waits. While nothing does, it
/// sleeps until something is left waiting.
final class EarlierEvents: Sendable {
    private static let first = Duration.seconds(2), most = Duration.seconds(300)
    private struct State {
        var task: Task<Void, Never>?, wake: AsyncStream<Void>.Continuation?
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
        let task = Task {
            var pause = Self.first, woken = wakes.makeAsyncIterator()
            while (try? await Task.sleep(for: pause)) != nil {
                pause = min(pause * 2, Self.most)
                let waiting = await Result { () async throws(IngestError) in try await reader.queue([.pending, .held]) }
                guard let others = try? waiting.get().filter({ Self.isOfAnother($0, than: event) }) else { continue }
                if others.isEmpty {
                    guard await woken.next() != nil else { return }
                    pause = Self.first
                } else if others.contains(where: { !leases.isTaken($0.delivery) }) {
                    await retry()
                }
            }
        }
        replace(by: State(task: task, wake: wake))
    }

    func end() { replace(by: State()) }

    /// Something may be left waiting: looks whether it is for another event.
    @Sendable func look() { state.withLock { _ = $0.wake?.yield() } }

    private func replace(by next: State) {
        state.withLock { state in
            defer { state = next }
            return state.task
        }?.cancel()
    }

    private static func isOfAnother(_ waiting: QueuedDelivery, than event: String?) -> Bool {
        !waiting.delivery.isUnassigned && waiting.delivery.event != event
    }
}
