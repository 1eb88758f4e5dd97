import FileKit
import FilmgateCore
import Synchronization

/// Gives memory back from time to time in a run without an end: a card is listed again whenever its camera comes back,
/// and what that took would stay with this process.
///
/// Only a while after files reached their endings or a source came back: a run that has nothing to do sleeps.
final class HeapTrimmer: Sendable {
    private let pause: @Sendable () async -> Void
    private let giveBack: @Sendable () async -> Void
    private let due = Mutex(false)
    var isDue: Bool { due.withLock { $0 } }

    init(_ pool: BlockingPool, _ clock: any RunClock) {
        pause = { await clock.sleep(for: .seconds(2)) }
        giveBack = { try? await pool.run { () throws(IngestError) in HeapMemory.giveBack() } }
    }

    /// For tests: after their own `pause`, `giveBack` instead of the memory's.
    init(after pause: @escaping @Sendable () async -> Void, _ giveBack: @escaping @Sendable () async -> Void) {
        (self.pause, self.giveBack) = (pause, giveBack)
    }

    /// What happens in the pause after the first event is covered with it; the last one is never left out.
    @Sendable func note(_ runEvent: RunEvent) {
        switch runEvent {
        case .settled, .source: break
        default: return
        }
        let isFirst = due.withLock { isDue in
            defer { isDue = true }
            return !isDue
        }
        guard isFirst else { return }
        Task {
            await pause()
            due.withLock { $0 = false }
            await giveBack()
        }
    }
}
