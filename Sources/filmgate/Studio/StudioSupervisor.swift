import FilmgateCore
import FilmgateStudio
import Glibc
import Synchronization

/// The page of a run: a process of its own, started again whenever it ends.
///
/// What goes wrong there costs the page and not the run. However this program ends, the page ends with it: its input
/// closes then.
final class StudioSupervisor: Sendable {
    /// Seconds after which a page that ends counts as one that had worked.
    private static let working = Duration.seconds(30)
    private struct State {
        var child: ChildProcess?
        var input: CInt = -1
        var isOver = false, isTold = false
    }
    private let state = Mutex(State())
    private let words: [String]
    private let directory: String
    private let json: Bool, console: Console

    /// `address`: where the page is served.
    ///
    /// `pipeline`: the run's own file; `invocation`: the run's, which hears of the page.
    init(
        _ address: ListenAddress, pipeline: String, state directory: String, json: Bool, encryption: StudioEncryption,
        _ invocation: Invocation
    ) {
        let host = address.host.contains(":") ? "[\(address.host)]" : address.host
        words =
            [
                StudioCards.program, "studio", "serve", "--json", "--until-eof", "--listen=\(host):\(address.port)",
                "--state=\(directory)",
            ] + encryption.words(from: invocation.paths) + ["--", pipeline]
        (self.json, self.directory, console) = (json, directory, invocation.console)
    }

    /// Keeps the page served from now on, on a thread of its own; to be called once.
    func start() { BlockingThread.run { self.keep() } }

    /// Ends the page; blocks for three seconds at most.
    func stop() {
        state.withLock { state in
            state.isOver = true
            Self.closeInput(&state)
        }
        for _ in 0..<300 where state.withLock({ $0.child != nil }) { usleep(10_000) }
        state.withLock(\.child)?.kill()
    }

    private var isOver: Bool { state.withLock(\.isOver) }

    private func keep() {
        var pauses = RetryPauses(first: 1, most: 60)
        while !isOver {
            let begun = ContinuousClock.now, end = serve()
            guard !isOver else { return }
            if ContinuousClock.now - begun >= Self.working { pauses.reset() }
            let pause = pauses.next(random: .random(in: 0...1))
            let words = "The page ended\(end); it is started again in \(Int(pause.rounded(.up))) s. The run goes on."
            console.tell(IngestError(.unavailable, words), json: json)
            for _ in 0..<Int(pause * 10) where !isOver { usleep(100_000) }
        }
    }

    /// Serves the page until it ends; how it ended, in words.
    private func serve() -> String {
        var input: [CInt] = [-1, -1], output: [CInt] = [-1, -1]
        guard pipe(&input) == 0 else { return ": " + String(cString: strerror(errno)) }
        guard pipe(&output) == 0 else {
            for end in input { close(end) }
            return ": " + String(cString: strerror(errno))
        }
        let left = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]
        let command = ChildProcess.Command(words, environment: ChildProcess.Command.inherited(without: left))
        let result = Result { () throws(ChildProcess.StartFailure) in
            try ChildProcess(command, [input[0], output[1], STDERR_FILENO]) { self.isOver }
        }
        close(input[0])
        close(output[1])
        guard case .success(let child) = result else {
            close(input[1])
            close(output[0])
            if case .failure(let failure) = result { return ": it could not be started (\(failure.reason))" }
            return ""
        }
        state.withLock { state in
            (state.child, state.input) = (child, input[1])
            if state.isOver { Self.closeInput(&state) }
        }
        LineStream(owning: output[0], patience: -1).lines { line in
            hear(line)
            return true
        }
        let ending = child.wait()
        state.withLock { state in
            Self.closeInput(&state)
            state.child = nil
        }
        return ending.words
    }

    private static func closeInput(_ state: inout State) {
        if state.input >= 0 { close(state.input) }
        state.input = -1
    }

    /// Says where the page is, the first time.
    ///
    /// The link that lets somebody in is for a person at a terminal: in a log others could find it.
    private func hear(_ line: String) {
        guard let object = JSONValue(Array(line.utf8)), object["type"]?.string == "studio",
            let link = object["link"]?.string,
            state.withLock({ state in
                defer { state.isTold = true }
                return !state.isTold
            })
        else { return }
        let place = link.prefix { $0 != "#" }
        guard json else {
            console.err(
                console.stderrIsTerminal
                    ? "studio: \(link)"
                    : "The page is at \(place); `\(StudioLink.command(directory))` makes a link that lets a browser in."
            )
            if let fingerprint = object["fingerprint"]?.string { StudioEncryption.tell(fingerprint, link, console) }
            return
        }
        var told = JSONWriter()
        told.add("type", "studio")
        told.add("url", String(place))
        console.out(told.finished)
    }
}
