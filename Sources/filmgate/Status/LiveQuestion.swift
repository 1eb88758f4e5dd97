import FilmgateCore
import Glibc

/// Asks the run that holds the state how it fares, over its control socket.
enum LiveQuestion {
    /// Milliseconds after which a run that says nothing is taken for none.
    private static let patience: Int32 = 1000

    /// What is asked.
    static let words = ["status", "--board"]

    /// Nil when no run answers.
    static func ask(state: String) -> LiveStatus.State? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        let stream = LineStream(owning: descriptor, patience: patience)
        guard ControlPath.withAddress(in: state, { connect(descriptor, $0, $1) }) == 0 else { return nil }
        guard stream.send(ControlRequest(arguments: words, folder: "/").line) else { return nil }
        var found: LiveStatus.State?
        stream.lines { line in
            guard let answer = JSONValue(Array(line.utf8)) else { return false }
            found = answer["out"]?.string.flatMap { LiveStatus.State(line: $0) } ?? found
            return found == nil && answer["exit"] == nil
        }
        return found
    }
}
