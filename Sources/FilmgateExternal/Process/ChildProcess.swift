import FileKit
import FilmgateCore
import Glibc
import Synchronization

/// A program in a process group of its own, spoken to through its three streams.
///
/// It inherits no open file, no signal mask and no environment but what `ChildEnvironment` lets through. Ended with all that it started.
final class ChildProcess: Sendable {
    /// Our ends; none of them blocks.
    let input: Descriptor, output: Descriptor, errors: Descriptor
    private let process: Mutex<pid_t?>

    /// `environment`: lines beside what every child gets.
    ///
    /// `unavailable` when it cannot be started now.
    init(_ program: String, _ arguments: [String] = [], environment: [String] = []) throws(IngestError) {
        guard let input = Pipe(), let output = Pipe(), let errors = Pipe() else {
            throw IngestError(.unavailable, "\(program) cannot be started: no more files can be opened.")
        }
        let streams = [input.reading.number, output.writing.number, errors.writing.number], words = [program] + arguments
        let lines = ChildEnvironment.lines + environment
        let (child, code) = ProgramStart.whenWritten { Self.spawn(words, lines, streams) }
        guard code == 0 else { throw IngestError(.unavailable, "\(program) cannot be started: \(String(cString: strerror(code))).") }
        (self.input, self.output, self.errors) = (input.writing, output.reading, errors.reading)
        process = Mutex(child)
        for own in [self.input, self.output, self.errors] { own.neverBlock() }
    }

    deinit { _ = end(patience: 50) }

    /// True when it has ended, even where nobody has been told.
    var isOver: Bool {
        process.withLock { process in
            guard let child = process else { return true }
            var found = siginfo_t()
            return waitid(P_PID, id_t(child), &found, WEXITED | WNOHANG | WNOWAIT) == 0 && found.si_signo == SIGCHLD
        }
    }

    /// Closes its input, which asks it to end, and ends it and all that it started after `patience` hundredths of a second.
    ///
    /// Blocks that long at most. Says how it ended: " with status 1".
    func end(patience: Int) -> String {
        input.close()
        guard let child = process.withLock({ $0.take() }) else { return "" }
        var found = siginfo_t(), left = patience
        while left > 0, waitid(P_PID, id_t(child), &found, WEXITED | WNOHANG | WNOWAIT) == 0, found.si_signo != SIGCHLD {
            usleep(10_000)
            left -= 1
        }
        // While it is not reaped its number, and so its group's, can belong to nobody else.
        kill(-child, SIGKILL)
        var status: CInt = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return Self.told(status)
    }

    private static func told(_ status: CInt) -> String {
        let signal = status & 0x7F, code = status >> 8 & 0xFF
        if signal != 0 { return " with signal \(signal) (\(String(cString: strsignal(signal))))" }
        return code == 0 ? "" : " with status \(code)"
    }

    private static func spawn(_ words: [String], _ lines: [String], _ streams: [CInt]) -> (child: pid_t, code: CInt) {
        var actions = posix_spawn_file_actions_t(), attributes = posix_spawnattr_t(), none = sigset_t(), usual = sigset_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for (number, own) in streams.enumerated() { posix_spawn_file_actions_adddup2(&actions, own, CInt(number)) }
        ProgramStart.inheritStreamsOnly(&actions)
        sigemptyset(&none)
        sigemptyset(&usual)
        for signal in [SIGPIPE, SIGINT, SIGTERM, SIGHUP] { sigaddset(&usual, signal) }
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &usual)
        // Ctrl-C at the terminal is for Filmgate alone: it lets what is in flight finish.
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        var arguments = words.map { strdup($0) } + [nil], environment = lines.map { strdup($0) } + [nil], child: pid_t = 0
        defer { for text in arguments + environment { free(text) } }
        let code = posix_spawn(&child, words[0], &actions, &attributes, &arguments, &environment)
        return (child, code)
    }
}
