import Dispatch
import Glibc
import Synchronization

/// Threads for work that blocks: a disk, a C library, a connection for as long as it lives.
///
/// The thread that became idle last takes the next piece, so that those of a busy moment are left over and end. The
/// threads of Dispatch take turns: none is ever idle for long enough to end, and each keeps its stack and its share of
/// the heap.
public final class BlockingThread: Sendable {
    private static let idle = Mutex<[BlockingThread]>([])
    private static let patience = DispatchTimeInterval.seconds(2)
    private let wakeUp = DispatchSemaphore(value: 0)
    private let work: Mutex<(@Sendable () -> Void)?>

    private init(_ work: @escaping @Sendable () -> Void) { self.work = Mutex(work) }

    /// Runs `work` on an idle thread or a new one; where the system gives no more threads, on one of Dispatch's.
    ///
    /// Does not block, and there is no limit to how many run: `BlockingPool` has one.
    public static func run(_ work: @escaping @Sendable () -> Void) {
        if let waiting = idle.withLock({ $0.popLast() }) {
            waiting.work.withLock { $0 = work }
            waiting.wakeUp.signal()
        } else if !BlockingThread(work).begin() {
            DispatchQueue(label: "filmgate.blocking").async { work() }
        }
    }

    private func begin() -> Bool {
        let held = Unmanaged.passRetained(self)
        var thread = pthread_t()
        let failure = pthread_create(
            &thread, nil,
            { pointer in
                if let pointer { Unmanaged<BlockingThread>.fromOpaque(pointer).takeRetainedValue().workUntilIdle() }
                return nil
            }, held.toOpaque())
        guard failure == 0 else {
            held.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    private func workUntilIdle() {
        repeat {
            // Taken out first: what the work holds goes with it, and does not stay with an idle thread.
            work.withLock { work in
                defer { work = nil }
                return work
            }?()
        } while isGivenMore()
    }

    /// Waits for the next piece; false when none came and this thread ends.
    private func isGivenMore() -> Bool {
        Self.idle.withLock { $0.append(self) }
        if wakeUp.wait(timeout: .now() + Self.patience) == .success { return true }
        let isLeftOver = Self.idle.withLock { idle in
            guard let place = idle.firstIndex(where: { $0 === self }) else { return false }
            idle.remove(at: place)
            return true
        }
        // Whoever took it from the list in the meantime wakes it up.
        if !isLeftOver { wakeUp.wait() }
        return !isLeftOver
    }
}
