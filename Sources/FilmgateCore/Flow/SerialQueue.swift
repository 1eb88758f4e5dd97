import Dispatch
import Glibc
import Synchronization

/// Blocking work, one piece after the other in the order in which it was added, on a thread that it has only while
/// there is some.
package final class SerialQueue: Sendable {
    private struct State {
        /// `next` is what was added first, the last one first; `added` is what came later.
        var next: [@Sendable () -> Void] = [], added: [@Sendable () -> Void] = []
        var thread: pthread_t?, isRunning = false
    }
    private let state = Mutex(State())

    package init() {}

    /// Does not block.
    package func add(_ work: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            state.added.append(work)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if isFirst { BlockingThread.run(runAll) }
    }

    /// Waits until all that was added before is done; not to be called by work of the queue itself.
    package func waitForAll() {
        let isEmpty = state.withLock { !$0.isRunning }
        if isEmpty { return }
        let done = DispatchSemaphore(value: 0)
        add { done.signal() }
        done.wait()
    }

    /// Whether the caller is work of this queue.
    package var isCurrent: Bool { state.withLock { $0.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false } }

    @Sendable private func runAll() {
        state.withLock { $0.thread = pthread_self() }
        // Each piece is let go of before the next one begins: it may hold memory that somebody waits for.
        while let work = next() { work() }
    }

    /// The piece whose turn it is; nil where there is none and the thread goes.
    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            if state.next.isEmpty {
                state.next = state.added.reversed()
                state.added = []
            }
            if state.next.isEmpty { (state.thread, state.isRunning) = (nil, false) }
            return state.next.popLast()
        }
    }
}
