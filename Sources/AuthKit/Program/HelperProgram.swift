public import FilmgateCore
import Glibc

/// Runs a small program for what it prints: a credential helper, an unlock hook.
///
/// No shell: the words are what they are. At a terminal its stderr is ours, so that it can speak for itself; elsewhere,
/// where a log may keep it, what it says there is passed on without what it printed. The passphrase variable is not
/// passed on.
public enum HelperProgram {
    /// What the program printed, at most `limit` bytes.
    ///
    /// Blocks, at most for `seconds`; the program is killed then, where there is no terminal with all that it started.
    /// `unauthorized`, with the program's name and never its output, when it cannot be started, fails, prints too much
    /// or takes too long.
    public static func run(
        _ words: [String], input: [UInt8] = [], seconds: Int = 30, limit: Int = 64 << 10
    ) throws(IngestError) -> [UInt8] {
        guard let name = words.first, name.hasPrefix("/") else {
            throw IngestError(.misconfigured, "A program must be named by its whole path.")
        }
        func failure(_ what: String) -> IngestError { IngestError(.unauthorized, "\(name) \(what).") }
        var command = ChildProcess.Command(
            words, environment: ChildProcess.Command.inherited(without: [PassphraseSource.variable]))
        // A program that asks somebody at the terminal must stay in the group that may read there.
        command.hasOwnGroup = !hasTerminal
        let program: PipedProcess
        do throws(ChildProcess.StartFailure) {
            program = try PipedProcess(command, ownErrors: isatty(STDERR_FILENO) == 1 ? STDERR_FILENO : nil)
        } catch { throw failure("cannot be started: \(error.reason)") }
        let (printed, ending) = listen(to: program, input, seconds: seconds, limit: limit)
        guard let printed else { throw failure("took longer than \(seconds) seconds") }
        if printed.count > limit { throw failure("printed more than \(limit >> 10) KiB") }
        if ending.signal != 0 { throw failure("was ended by signal \(ending.signal)") }
        guard ending.code == 0 else { throw failure("failed with exit code \(ending.code)") }
        return printed
    }

    /// What was printed without what programs and editors put around it: a byte order mark, the last line's end.
    ///
    /// Nil when it is no UTF-8.
    public static func text(of printed: [UInt8]) -> String? {
        var bytes = printed[...]
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        if bytes.last == 0x0A { bytes = bytes.dropLast() }
        if bytes.last == 0x0D { bytes = bytes.dropLast() }
        return String(validating: bytes, as: UTF8.self)
    }

    /// What it printed, up to its end or that of its output, or a little more than the limit, and how it ended; nil
    /// where it took too long.
    ///
    /// What it started and left behind may hold its output open: nobody waits for that. One that has closed its output
    /// and stays is killed after as long again.
    private static func listen(
        to program: PipedProcess, _ input: [UInt8], seconds: Int, limit: Int
    ) -> (printed: [UInt8]?, ending: ChildProcess.Ending) {
        var rest = input[...], printed: [UInt8] = [], said = StderrCapture()
        func exchange(within milliseconds: CInt) {
            program.exchange(&rest, within: milliseconds) { stream, bytes in
                if stream == .errors { said.take(bytes) } else if printed.count <= limit { printed += bytes }
            }
        }
        var end = ContinuousClock.now + .seconds(seconds)
        while program.output.isOpen, !program.child.isOver, printed.count <= limit, .now < end { exchange(within: 20) }
        let isAtWork = program.output.isOpen && !program.child.isOver
        if isAtWork { program.child.kill() }
        let isLate = isAtWork && printed.count <= limit
        end = .now + .seconds(seconds)
        while !program.child.isOver {
            if .now > end { program.child.kill() }
            exchange(within: 2)
        }
        // What it wrote last.
        exchange(within: 0)
        let ending = program.child.wait()
        said.pass(without: printed)
        return (isLate ? nil : printed, ending)
    }

    private static var hasTerminal: Bool {
        let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
        if terminal >= 0 { close(terminal) }
        return terminal >= 0
    }
}
