import CLinux
import Glibc
import Synchronization

/// A program that was started here, owned until it is reaped.
///
/// One way for all: it gets its three streams and no other open file, the environment that it is given, no blocked
/// signal and the usual answer to those that end a program. Let go of without more, it is killed.
package final class ChildProcess: Sendable {
    /// What is started.
    package struct Command: Sendable {
        /// The program and its arguments; no shell takes them apart.
        package var words: [String]
        /// All that it finds in its environment, as `NAME=value`; a path in it arrives as the bytes that it stands for.
        package var environment: [String]
        /// Looked for along `PATH`, where its name holds no slash.
        package var isOnPath = false
        /// Ctrl-C at the terminal is for Filmgate alone, and the program is ended with all that it started.
        ///
        /// Without a group of its own it may read from the terminal.
        package var hasOwnGroup = true

        package init(_ words: [String], environment: [String]) { (self.words, self.environment) = (words, environment) }
    }

    package struct StartFailure: Error {
        package let code: CInt
        package var isOutOfFiles: Bool { code == EMFILE || code == ENFILE }
        package var reason: String { isOutOfFiles ? "no more files can be opened" : String(cString: strerror(code)) }
    }

    /// How it ended.
    package struct Ending: Sendable {
        fileprivate let status: CInt
        /// It had not ended by itself.
        package let wasKilled: Bool
        /// Zero when it ended with a code.
        package var signal: CInt { status & 0x7F }
        package var code: CInt { status >> 8 & 0xFF }
        /// " with status 1"; empty for success.
        package var words: String {
            if signal != 0 { return " with signal \(signal) (\(String(cString: strsignal(signal))))" }
            return code == 0 ? "" : " with status \(code)"
        }
    }

    private struct State {
        var child: pid_t?
        var ending = Ending(status: 0, wasKilled: false)
    }
    private let state: Mutex<State>
    private let hasOwnGroup: Bool

    /// `streams`: input, output and errors; nil is `/dev/null`.
    ///
    /// Blocks for five seconds at most while the program's file is being written, unless `isStopped` says that nobody
    /// wants it any more.
    package init(_ command: Command, _ streams: [CInt?], unless isStopped: () -> Bool = { false }) throws(StartFailure)
    {
        var (child, code) = Self.spawn(command, streams)
        // The file may still be open for writing, by whoever copies it or in a child that was forked meanwhile
        // (execve(2)).
        for _ in 0..<250 where code == ETXTBSY && !isStopped() {
            usleep(20_000)
            (child, code) = Self.spawn(command, streams)
        }
        guard code == 0 else { throw StartFailure(code: code) }
        state = Mutex(State(child: child))
        hasOwnGroup = command.hasOwnGroup
    }

    deinit { end() }

    /// True when it has ended, even where nobody has been told.
    package var isOver: Bool { state.withLock { $0.child.map(Self.hasEnded) ?? true } }

    /// Nothing when it is reaped already.
    package func kill() { state.withLock { if let child = $0.child { signalKill(child) } } }

    /// Asks it to end, as Ctrl-C at a terminal does; nothing when it is reaped already.
    package func interrupt() { state.withLock { if let child = $0.child { _ = Glibc.kill(child, SIGINT) } } }

    /// Ends it and all that it started after `patience` hundredths of a second, and reaps it.
    ///
    /// Blocks that long at most. Done before, it only says how it ended.
    @discardableResult
    package func end(patience: Int = 0) -> Ending {
        guard let child = state.withLock({ $0.child.take() }) else { return state.withLock(\.ending) }
        var left = patience
        while left > 0, !Self.hasEnded(child) {
            usleep(10_000)
            left -= 1
        }
        let isForced = !Self.hasEnded(child)
        // While it is not reaped its number, and so its group's, can belong to nobody else.
        signalKill(child)
        return reap(child, wasKilled: isForced)
    }

    /// Blocks until it has ended by itself, and reaps it; what it started goes on.
    @discardableResult
    package func wait() -> Ending {
        guard let child = state.withLock({ $0.child.take() }) else { return state.withLock(\.ending) }
        return reap(child, wasKilled: false)
    }

    private func signalKill(_ child: pid_t) { Glibc.kill(hasOwnGroup ? -child : child, SIGKILL) }

    private static func hasEnded(_ child: pid_t) -> Bool {
        var found = siginfo_t()
        return waitid(P_PID, id_t(child), &found, WEXITED | WNOHANG | WNOWAIT) == 0 && found.si_signo == SIGCHLD
    }

    private func reap(_ child: pid_t, wasKilled: Bool) -> Ending {
        var status: CInt = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        let ending = Ending(status: status, wasKilled: wasKilled)
        state.withLock { $0.ending = ending }
        return ending
    }

    private static func spawn(_ command: Command, _ streams: [CInt?]) -> (child: pid_t, code: CInt) {
        var actions = posix_spawn_file_actions_t(), attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for (number, own) in zip(CInt(0)..., streams) {
            if let own {
                posix_spawn_file_actions_adddup2(&actions, own, number)
            } else {
                posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            }
        }
        // What a library here opened without close-on-exec is none of its business, and would stay open for as long as
        // it runs.
        _ = fg_inherit_streams_only(&actions)
        setSignals(&attributes, hasOwnGroup: command.hasOwnGroup)
        var child: pid_t = 0
        var words = command.words.map { strdup($0) } + [nil]
        var environment = command.environment.map { duplicate($0) } + [nil]
        defer { for text in words + environment { free(text) } }
        let name = command.words.first ?? "", program = command.isOnPath || name.contains("/") ? name : "./" + name
        let code = posix_spawnp(&child, program, &actions, &attributes, &words, &environment)
        return (child, code)
    }

    /// For C, which frees it: a byte that is no part of UTF-8 stands in paths as the scalar U+10FF00 + byte.
    private static func duplicate(_ text: String) -> UnsafeMutablePointer<CChar>? {
        // Only text with a plane-16 scalar (lead byte F4) can hold such a stand-in.
        guard text.utf8.contains(0xF4) else { return strdup(text) }
        var bytes: [CChar] = []
        for scalar in text.unicodeScalars {
            if scalar.value >= 0x10FF80 {
                bytes.append(CChar(truncatingIfNeeded: scalar.value))
            } else {
                bytes += String(scalar).utf8.map { CChar(bitPattern: $0) }
            }
        }
        return strdup(bytes + [0])
    }

    /// A thread's blocked signals and what this program ignores are not its own: pipes have to break in it as they do
    /// everywhere else.
    private static func setSignals(_ attributes: inout posix_spawnattr_t, hasOwnGroup: Bool) {
        var none = sigset_t(), usual = sigset_t()
        sigemptyset(&none)
        sigemptyset(&usual)
        for signal in [SIGPIPE, SIGINT, SIGTERM, SIGHUP] { sigaddset(&usual, signal) }
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &usual)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (hasOwnGroup ? POSIX_SPAWN_SETPGROUP : 0)))
    }
}

extension ChildProcess.Command {
    /// The whole environment of this program, without those variables.
    package static func inherited(without names: [String] = []) -> [String] {
        var lines: [String] = [], entry = environ
        while let text = entry.pointee {
            lines.append(String(cString: text))
            entry += 1
        }
        return lines.filter { line in !names.contains { line.hasPrefix($0 + "=") } }
    }
}
