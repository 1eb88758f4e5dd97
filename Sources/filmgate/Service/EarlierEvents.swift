import FilmgateCore
import FilmgateEngine
import Synchronization

/// Sends what waits for other events than the one that the run has now: the run's own targets are those of its event.
///
/// By jobs of the run, such as `filmgate retry` is, ever more rarely as long as something waits.
final class EarlierEvents: Sendable {
    private static let first = Duration.seconds(2), most = Duration.seconds(300)
    private let working = Mutex<Task<Void, Never>?>(nil)

    /// From now on the run has this event; `retry` sends what waits, and returns when nothing more moves.
    ///
    /// What the run itself sends, because its files brought that event with them, needs no job.
    func begin(
        with event: String?, _ reader: any LedgerReader, _ leases: DeliveryLeases,
        retry: @escaping @Sendable () async -> Void
    ) {
        replace(
            by: Task {
                var pause = Self.first
                while (try? await Task.sleep(for: pause)) != nil {
                    let waiting = await Result { () async throws(IngestError) in
                        try await reader.queue([.pending, .held])
                    }
                    let others = ((try? waiting.get()) ?? []).filter { !leases.isTaken($0.delivery) }
                    if Self.isAny(in: others, but: event) { await retry() }
                    pause = min(pause * 2, Self.most)
                }
            })
    }

    func end() { replace(by: nil) }

    private func replace(by next: Task<Void, Never>?) {
        working.withLock { working in
            defer { working = next }
            return working
        }?.cancel()
    }

    private static func isAny(in waiting: [QueuedDelivery], but event: String?) -> Bool {
        waiting.contains { !$0.delivery.isUnassigned && $0.delivery.event != event }
    }
}
