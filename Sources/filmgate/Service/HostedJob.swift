import FilmgateCore
import FilmgateEngine
import FilmgateLedger
import Synchronization

/// The context of a job that another process handed to this run: what the run lends to its verb.
enum HostedJob {
    /// The run's own ledger; set only while such a job is done.
    @TaskLocal static var ledger: SQLiteLedger?
    /// What it delivers just now, so that nothing is sent by two.
    @TaskLocal static var leases: DeliveryLeases?
    /// Where the job's words go, instead of this process's streams.
    @TaskLocal static var output: JobOutput?
    /// What the run shows of itself.
    @TaskLocal static var liveStatus: LiveStatus?
    /// Gives the run another event.
    @TaskLocal static var switching: EventSwitch?
    /// Where what it changes is told to those who watch the run.
    @TaskLocal static var changes: RunChanges?
    /// The folder that the job was asked for in.
    @TaskLocal static var folder: String?
    /// What a command has read of its standard input, or whoever handed it over.
    @TaskLocal static var input: [String]?
    /// Whether this command has written its summary.
    @TaskLocal static var summaryFlag: SummaryFlag?
    /// Stops the job as Ctrl-C would.
    @TaskLocal static var stop: JobStop?
}

/// Has a job finish what is in flight: a task that is cancelled would break that off, and its words to the ledger, too.
final class JobStop: Sendable {
    private struct State { var stop: (@Sendable () -> Void)?, isAsked = false }
    private let state = Mutex(State())

    /// From now on the job is stopped by `stop`, at once where that was asked for before.
    func take(_ stop: @escaping @Sendable () -> Void) {
        let isAsked = state.withLock { state in
            state.stop = stop
            return state.isAsked
        }
        if isAsked { stop() }
    }

    func letGo() { state.withLock { $0.stop = nil } }

    /// False where the job does nothing that can be stopped so.
    func ask() -> Bool {
        let stop = state.withLock { state in
            state.isAsked = true
            return state.stop
        }
        stop?()
        return stop != nil
    }
}

/// Notes that the last line of a command's JSON was written.
final class SummaryFlag: Sendable {
    private let said = Atomic(false)
    var isSaid: Bool { said.load(ordering: .relaxed) }

    func hear(_ line: String) {
        if line.utf8.starts(with: #"{"type":"summary""#.utf8) { said.store(true, ordering: .relaxed) }
    }
}

/// Where the output of a handed-over job goes.
final class JobOutput: Sendable {
    enum Chunk: Sendable { case out(String), err(String) }
    private let hear: @Sendable (Chunk) -> Void
    /// False where nobody asked for the job: the run does it by itself.
    let isAskedFor: Bool

    init(isAskedFor: Bool = true, _ hear: @escaping @Sendable (Chunk) -> Void) {
        (self.isAskedFor, self.hear) = (isAskedFor, hear)
    }

    func say(_ word: Chunk) { hear(word) }
}
