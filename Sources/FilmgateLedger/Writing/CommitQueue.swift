import FilmgateCore
import GRDB
import Synchronization

/// Group commit: whoever comes while a transaction runs waits for the next, and all who wait share it.
///
/// Latency stays one commit.
final class CommitQueue: Sendable {
    typealias Work = @Sendable (ChangeWriter) throws -> Int64
    private struct Job: Sendable { var work: Work, done: CheckedContinuation<Result<Int64, IngestError>, Never> }
    private struct State { var waiting: [Job] = [], running = false, closed = false, writer: Holder? }
    /// A writer is only ever used on the queue of its connection.
    private struct Holder: @unchecked Sendable { let writer: ChangeWriter }

    let follower = WriteFollower()
    private let database: any DatabaseWriter
    private let failure: LedgerFailure
    private let state = Mutex(State())

    init(_ database: any DatabaseWriter, _ failure: LedgerFailure) {
        (self.database, self.failure) = (database, failure)
    }

    /// Returns what `work` returned, once it is committed.
    ///
    /// Work is done in the order in which it was handed in, also when its task was cancelled meanwhile. Work that fails
    /// is undone alone.
    func commit(_ work: @escaping Work) async throws(IngestError) -> Int64 {
        let result = await withCheckedContinuation { done in
            let start: Bool? = state.withLock { state in
                if state.closed { return nil }
                state.waiting.append(Job(work: work, done: done))
                defer { state.running = true }
                return !state.running
            }
            guard let start else { return done.resume(returning: .failure(failure.closed)) }
            if start { database.asyncWriteWithoutTransaction { db in self.drain(db) } }
        }
        return try result.get()
    }

    /// Takes no more work; what was handed in before is still done.
    func close() { state.withLock { $0.closed = true } }

    /// Finalises the prepared statements, which would keep the connection from closing.
    ///
    /// To be called on the connection's queue, after `close`.
    func finish() { state.withLock { $0.writer = nil } }

    private func drain(_ db: Database) {
        let writer = writer(for: db)
        while let jobs = next() {
            for (job, result) in zip(jobs, run(jobs, db, writer)) { job.done.resume(returning: result) }
        }
    }

    private func next() -> [Job]? {
        state.withLock { state in
            defer { state.waiting = [] }
            state.running = !state.waiting.isEmpty
            return state.running ? state.waiting : nil
        }
    }

    private func writer(for db: Database) -> ChangeWriter {
        if let holder = state.withLock(\.writer) { return holder.writer }
        let holder = Holder(writer: ChangeWriter(db))
        state.withLock { $0.writer = holder }
        return holder.writer
    }

    private func run(_ jobs: [Job], _ db: Database, _ writer: ChangeWriter) -> [Result<Int64, IngestError>] {
        writer.written = follower.isWanted ? WrittenFiles() : nil
        do {
            var numbers: [Int64] = []
            try db.inTransaction(.immediate) {
                for job in jobs { numbers.append(try job.work(writer)) }
                return .commit
            }
            follower.committed(writer.written)
            return numbers.map { .success($0) }
        } catch {
            writer.forget()
            if jobs.count == 1 { return [.failure(failure(error))] }
            return jobs.flatMap { run([$0], db, writer) }
        }
    }
}
