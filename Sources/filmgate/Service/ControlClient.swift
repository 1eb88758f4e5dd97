import FilmgateCore
import FilmgateEngine
import Glibc

/// Hands this process's job to the run that holds the state.
enum ControlClient {
    /// How long the run may take to say that it is there.
    static let patience = 5

    /// The job's exit code, its words told as they come to whoever called it; nil when no run answers, or none in time.
    ///
    /// Blocks until the job is done.
    static func handOver(_ arguments: [String], state: String, _ invocation: Invocation) -> Int32? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        let stream = LineStream(owning: descriptor, within: .seconds(patience))
        // Connecting waits where the queue of a run that does nothing any more is full.
        // struct timeval: seconds, microseconds.
        var limit = [patience, 0]
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(2 * MemoryLayout<Int>.size))
        guard ControlPath.withAddress(in: state, { connect(descriptor, $0, $1) }) == 0 else { return nil }
        let request = ControlRequest(
            arguments: arguments, folder: invocation.paths.working, input: invocation.input)
        guard stream.send(request.line) else { return nil }
        let console = invocation.console
        var code: Int32?, isHeard = false
        stream.lines { line in
            // It is there, and has the job: that may take as long as it likes.
            if !isHeard { stream.takeYourTime() }
            isHeard = true
            guard let answer = JSONValue(Array(line.utf8)) else { return true }
            if let line = answer["out"]?.string { console.out(line) }
            if let line = answer["err"]?.string { console.err(line) }
            code = answer["exit"]?.whole.map { Int32(clamping: $0) }
            return code == nil
        }
        if code == nil, isHeard {
            console.err(
                "The run that did this job ended before it was done. Nothing is lost: what was copied waits in the state directory. "
                    + "Run the same command again, or `filmgate retry` for what waits; see `filmgate status`.")
        }
        return code ?? (isHeard ? ExitStatus.failure.rawValue : nil)
    }
}
