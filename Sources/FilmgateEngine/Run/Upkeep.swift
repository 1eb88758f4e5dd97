import FileKit
import FilmgateCore
import Synchronization

/// Gives memory back from time to time in a run without an end: a card is listed again whenever its camera comes back, and what that took
/// would stay with this process.
///
/// Only while files reach their endings: a run that has nothing to do sleeps.
final class Upkeep: Sendable {
    private static let pause = Duration.seconds(2)
    private let pool: BlockingPool
    private let last = Mutex(ContinuousClock.now)

    init(_ pool: BlockingPool) { self.pool = pool }

    @Sendable func note(_ happening: Happening) {
        guard case .settled = happening else { return }
        let isDue = last.withLock { last in
            guard .now - last >= Self.pause else { return false }
            last = .now
            return true
        }
        if isDue { Task { [pool] in try? await pool.run { () throws(IngestError) in HeapMemory.giveBack() } } }
    }
}
