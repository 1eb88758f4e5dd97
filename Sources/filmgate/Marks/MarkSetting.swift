import FilmgateCore
import FilmgateLedger
import Glibc

/// Writes down what somebody says of pictures, for the command and the page alike, and tells whatever run holds the
/// state.
struct MarkSetting: Sendable {
    let state: String

    /// Returns once the ledger has it, and a run that waits for it has looked at it.
    func carryOut(_ order: MarkOrder) async throws(IngestError) -> MarkOutcome {
        let outcome = try await SQLiteLedger.mark(order, directory: state)
        if !outcome.sha256s.isEmpty {
            await withCheckedContinuation { told in
                BlockingThread.run {
                    MarkNotice(outcome.sha256s).send(state: state)
                    told.resume()
                }
            }
        }
        return outcome
    }

    /// Who says it, on a command line.
    static var user: String { UserPath.environment("USER") ?? "user \(getuid())" }
}

/// Tells a run over its control socket which pictures were marked: it reads their marks from the ledger.
struct MarkNotice: Sendable {
    /// Nil: more than are worth naming.
    var sha256s: Set<String>?
    private static let most = 10_000
    /// Milliseconds: a run that does not answer reads the marks when it goes on.
    private static let patience: Int32 = 2000

    init(_ sha256s: [String]) { self.sha256s = sha256s.count > Self.most ? nil : Set(sha256s) }

    /// Nil for a line that says something else.
    init?(_ line: String) {
        guard let marked = JSONValue(Array(line.utf8))?["marked"] else { return nil }
        sha256s = marked.texts.map { Set($0) }
    }

    var line: String {
        var object = JSONWriter()
        if let sha256s { object.add("marked", sha256s.sorted()) } else { object.add("marked", true) }
        return object.finished
    }

    /// Blocks until the run has looked at them, or for a moment where none answers.
    func send(state: String) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        let stream = LineStream(owning: descriptor, patience: Self.patience)
        guard ControlPath.withAddress(in: state, { connect(descriptor, $0, $1) }) == 0, stream.send(line) else {
            return
        }
        stream.lines { _ in false }
    }
}
