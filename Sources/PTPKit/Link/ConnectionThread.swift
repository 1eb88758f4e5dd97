import Dispatch
import Glibc

/// A thread for work that waits for as long as a connection lives.
///
/// Queues are for work that ends: their threads are few.
public enum ConnectionThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs `body` on a new thread, or on a queue's where the system gives no more threads.
    public static func start(_ body: @escaping @Sendable () -> Void) {
        let work = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let failure = pthread_create(
            &thread, nil,
            { pointer in
                guard let pointer else { return nil }
                Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
                return nil
            }, work.toOpaque())
        if failure == 0 {
            pthread_detach(thread)
        } else {
            let left = work.takeRetainedValue()
            DispatchQueue(label: "filmgate.connection").async { left.body() }
        }
    }
}
