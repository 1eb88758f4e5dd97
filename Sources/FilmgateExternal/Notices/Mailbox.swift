import FilmgateCore
import Logging
import Synchronization

/// One hook's notices, in their order, delivered beside the run; what does not fit is left out and counted.
final class Mailbox: Sendable {
    static let limit = 1000

    private let on: Set<HookMoment>
    private let name: String, logger: Logger
    private let slot: AsyncStream<Notice>.Continuation
    private let work: Task<Void, Never>
    private let dropped = Atomic(0)
    /// Taken in and not tried yet.
    private let waiting: Waiting

    private final class Waiting: Sendable { let count = Atomic(0) }

    init(_ courier: any NoticeCourier, on: Set<HookMoment>, _ logger: Logger, limit: Int = Mailbox.limit) {
        let (stream, slot) = AsyncStream<Notice>.makeStream(bufferingPolicy: .bufferingOldest(limit))
        let waiting = Waiting()
        (self.on, self.slot, self.logger, self.waiting, name) = (on, slot, logger, waiting, courier.name)
        work = Task.detached {
            var isSilent = false
            for await notice in stream {
                // What is buffered comes on even then.
                if Task.isCancelled { return }
                waiting.count.subtract(1, ordering: .relaxed)
                do throws(IngestError) {
                    try await courier.deliver(notice)
                    isSilent = false
                } catch {
                    if !isSilent { logger.warning("hook \(courier.name): \(notice.moment.rawValue) not delivered: \(error.message)") }
                    isSilent = true
                }
            }
        }
    }

    /// Never waits.
    func put(_ notice: Notice) {
        guard on.contains(notice.moment) else { return }
        waiting.count.add(1, ordering: .relaxed)
        switch slot.yield(notice) {
        case .enqueued: return
        case .dropped: dropped.add(1, ordering: .relaxed)
        default: break
        }
        waiting.count.subtract(1, ordering: .relaxed)
    }

    /// Waits until all is delivered, for `patience` at most; then gives up what is left.
    func finish(within patience: Duration) async {
        slot.finish()
        let alarm = Task { [work] in
            if (try? await Task.sleep(for: patience)) != nil { work.cancel() }
        }
        await work.value
        alarm.cancel()
        let lost = dropped.load(ordering: .relaxed)
        if lost > 0 { logger.warning("hook \(name): \(lost) notices were left out, it could not keep up") }
        let left = waiting.count.load(ordering: .relaxed)
        if left > 0 { logger.warning("hook \(name): \(left) notices still waited when the run ended, and were left out") }
    }
}
