import FilmgateCore
import Logging
import Synchronization

/// One hook's notices, in their order, delivered beside the run; what does not fit is left out and counted.
final class NoticeQueue: Sendable {
    static let limit = 1000

    private let on: Set<HookMoment>
    private let name: String, logger: Logger
    private let slot: AsyncStream<Notice>.Continuation
    /// Gives the number of those that it did not come to.
    private let work: Task<Int, Never>
    private let dropped = Atomic(0)

    init(_ sender: any HookSender, on: Set<HookMoment>, _ logger: Logger, limit: Int = NoticeQueue.limit) {
        let (stream, slot) = AsyncStream<Notice>.makeStream(bufferingPolicy: .bufferingOldest(limit))
        (self.on, self.slot, self.logger, name) = (on, slot, logger, sender.name)
        work = Task.detached {
            var isSilent = false, left = 0
            for await notice in stream {
                // What is buffered comes on even then.
                guard !Task.isCancelled else {
                    left += 1
                    continue
                }
                do throws(IngestError) {
                    try await sender.deliver(notice)
                    isSilent = false
                } catch {
                    if !isSilent {
                        logger.warning("hook \(sender.name): \(notice.moment.rawValue) not delivered: \(error.message)")
                    }
                    isSilent = true
                }
            }
            return left
        }
    }

    /// Never waits.
    func put(_ notice: Notice) {
        guard on.contains(notice.moment) else { return }
        if case .dropped = slot.yield(notice) { dropped.add(1, ordering: .relaxed) }
    }

    /// Waits until all is delivered, for `patience` at most; then gives up what is left.
    func finish(within patience: Duration) async {
        slot.finish()
        let alarm = Task { [work] in
            if (try? await Task.sleep(for: patience)) != nil { work.cancel() }
        }
        let left = await work.value
        alarm.cancel()
        let lost = dropped.load(ordering: .relaxed)
        if lost > 0 { logger.warning("hook \(name): \(lost) notices were left out, it could not keep up") }
        if left > 0 {
            logger.warning("hook \(name): \(left) notices still waited when the run ended, and were left out")
        }
    }
}
