import FilmgateCore
import Logging
import Synchronization

/// One hook's notices, in their order, delivered beside the run; what does not fit is left out and counted.
///
/// The end of the run is told whatever else is left out.
final class NoticeQueue: Sendable {
    static let limit = 1000

    private let on: Set<HookMoment>
    private let sender: any HookSender, logger: Logger
    private let slot: AsyncStream<Notice>.Continuation
    /// Gives those that it did not come to.
    private let work: Task<Left, Never>
    private let dropped = Mutex(Left())
    private struct Left: Sendable {
        var count = 0, end: Notice?

        mutating func add(_ notice: Notice) {
            if notice.moment == .runEnd { end = notice } else { count += 1 }
        }
    }

    /// `earlier`: nothing is delivered before that has ended; who cannot wait any longer does not wait for it either.
    init(
        _ sender: any HookSender, on: Set<HookMoment>, _ logger: Logger, limit: Int = NoticeQueue.limit,
        after earlier: Task<Void, Never>? = nil
    ) {
        let (stream, slot) = AsyncStream<Notice>.makeStream(bufferingPolicy: .bufferingOldest(limit))
        (self.on, self.slot, self.logger, self.sender) = (on, slot, logger, sender)
        work = Task.detached {
            if let earlier { await NoticeQueue.wait(for: earlier) }
            var isSilent = false, left = Left()
            for await notice in stream {
                // What is buffered comes on even then.
                guard !Task.isCancelled else {
                    left.add(notice)
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

    /// Returns at once where this task is cancelled, which a look at the value of another would not.
    private static func wait(for earlier: Task<Void, Never>) async {
        let (ends, end) = AsyncStream<Void>.makeStream()
        Task {
            await earlier.value
            end.finish()
        }
        for await _ in ends {}
    }

    /// Never waits.
    func put(_ notice: Notice) {
        guard on.contains(notice.moment) else { return }
        if case .dropped = slot.yield(notice) { dropped.withLock { $0.add(notice) } }
    }

    /// Waits until all is delivered, for `patience` at most; then gives up what is left, but for the end of the run,
    /// for which the last third is kept.
    func finish(within patience: Duration) async {
        slot.finish()
        let alarm = Task { [work] in
            if (try? await Task.sleep(for: patience * 2 / 3)) != nil { work.cancel() }
        }
        let left = await work.value, lost = dropped.withLock { $0 }
        alarm.cancel()
        if let end = left.end ?? lost.end { await deliver(end, within: patience / 3) }
        if lost.count > 0 {
            logger.warning("hook \(sender.name): \(lost.count) notices were left out, it could not keep up")
        }
        if left.count > 0 {
            logger.warning(
                "hook \(sender.name): \(left.count) notices still waited when the run ended, and were left out")
        }
    }

    private func deliver(_ notice: Notice, within patience: Duration) async {
        let delivering = Task { [sender] in
            await Result { () async throws(IngestError) in try await sender.deliver(notice) }
        }
        let alarm = Task {
            if (try? await Task.sleep(for: patience)) != nil { delivering.cancel() }
        }
        if case .failure(let error) = await delivering.value {
            logger.warning("hook \(sender.name): \(notice.moment.rawValue) not delivered: \(error.message)")
        }
        alarm.cancel()
    }
}
