import FilmgateCore
import FilmgateEngine
import FilmgateLedger
import Synchronization

/// What a run that goes on lends to the verbs that hand their job to it.
enum Living {
    /// The run's own ledger; set only while such a job is done.
    @TaskLocal static var ledger: SQLiteLedger?
    /// What it delivers just now, so that nothing is sent by two.
    @TaskLocal static var leases: DeliveryLeases?
    /// Where the job's words go, instead of this process's streams.
    @TaskLocal static var audience: Audience?
    /// What the run shows of itself.
    @TaskLocal static var board: LiveBoard?
    /// The folder that the job was asked for in.
    @TaskLocal static var folder: String?
    /// Whether this command has written its summary.
    @TaskLocal static var lastWord: LastWord?
}

/// Notes that the last line of a command's JSON was written.
final class LastWord: Sendable {
    private let said = Atomic(false)
    var isSaid: Bool { said.load(ordering: .relaxed) }

    func hear(_ line: String) {
        if line.utf8.starts(with: #"{"type":"summary""#.utf8) { said.store(true, ordering: .relaxed) }
    }
}

/// Who hears what a handed-over job says.
final class Audience: Sendable {
    enum Word: Sendable { case out(String), err(String) }
    private let hear: @Sendable (Word) -> Void

    init(_ hear: @escaping @Sendable (Word) -> Void) { self.hear = hear }

    func say(_ word: Word) { hear(word) }
}
