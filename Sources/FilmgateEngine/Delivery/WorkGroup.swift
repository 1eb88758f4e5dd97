/// Work side by side in one task group: whoever made the group breaks off all of it at once.
struct WorkGroup: Sendable {
    typealias Work = @concurrent @Sendable () async -> Void
    /// Nil: breaks off.
    private let work: AsyncStream<Work?>.Continuation

    init() {
        let (stream, work) = AsyncStream.makeStream(of: Work?.self)
        self.work = work
        Task {
            await withDiscardingTaskGroup { group in
                for await one in stream { if let one { group.addTask(operation: one) } else { group.cancelAll() } }
            }
        }
    }

    /// Begins at once; nothing that was handed in is left out, also after `cancel`.
    func add(_ one: @escaping Work) { work.yield(one) }

    /// Cancels what is under way, and what is still to come from the start.
    func cancel() { work.yield(nil) }

    /// Nothing more will come; what is under way goes on to its end.
    func finish() { work.finish() }
}
