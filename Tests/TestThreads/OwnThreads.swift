import Dispatch
import Synchronization
public import Testing

/// Tests that wait for programs and sockets block their thread; on Swift's few they would hold up what they wait for,
/// in other tests too.
///
/// `@Suite(.ownThreads)`: each test of the suite runs on threads of its own.
public struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(ThreadPerJob.shared) { try await function() }
    }
}

extension Trait where Self == OwnThreads {
    public static var ownThreads: Self { OwnThreads() }
}

/// As many threads as there are jobs at a time.
private final class ThreadPerJob: TaskExecutor {
    static let shared = ThreadPerJob()
    private let idle = Mutex<[DispatchQueue]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job), queue = idle.withLock { $0.popLast() } ?? DispatchQueue(label: "test")
        queue.async {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
            self.idle.withLock { $0.append(queue) }
        }
    }
}
