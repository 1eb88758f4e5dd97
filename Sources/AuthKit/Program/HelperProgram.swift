import FileKit
public import FilmgateCore
import Glibc

/// Runs a small program for what it prints: a credential helper, an unlock hook.
///
/// No shell: the words are what they are. At a terminal its stderr is ours, so that it can speak for itself; elsewhere, where a log may
/// keep it, what it says there is passed on without what it printed. The passphrase variable is not passed on.
public enum HelperProgram {
    /// What the program printed, at most `limit` bytes.
    ///
    /// Blocks, at most for `seconds`; the program is killed then, where there is no terminal with all that it started. `unauthorized`, with the program's name and never its output, when it
    /// cannot be started, fails, prints too much or takes too long.
    public static func run(_ words: [String], input: [UInt8] = [], seconds: Int = 30, limit: Int = 64 << 10) throws(IngestError) -> [UInt8]
    {
        guard let program = words.first, program.hasPrefix("/") else {
            throw IngestError(.misconfigured, "A program must be named by its whole path.")
        }
        func failure(_ what: String) -> IngestError { IngestError(.unauthorized, "\(program) \(what).") }
        let isHeard = isatty(STDERR_FILENO) != 1
        guard let output = Pipe(), let feed = Pipe(), let errors = Pipe() else {
            throw failure("cannot be started: no more files can be opened")
        }
        // A program that asks somebody at the terminal must stay in the group that may read there.
        let isAlone = !hasTerminal
        let (child, code) = ProgramStart.whenWritten {
            spawn(words, output.writing, feed.reading, isHeard ? errors.writing : STDERR_FILENO, isAlone)
        }
        output.closeWriting()
        errors.closeWriting()
        feed.closeReading()
        let ear = StderrCapture(errors.reading)
        if code != 0 { throw failure("cannot be started: \(String(cString: strerror(code)))") }
        feed.write(input)
        feed.closeWriting()
        let printed = output.read(limit: limit + 1, seconds: seconds, beside: ear)
        if printed == nil || printed.map({ $0.count > limit }) == true { kill(isAlone ? -child : child, SIGKILL) }
        let status = ended(child, isAlone, seconds: seconds, ear)
        ear.pass(without: printed ?? [])
        guard let printed else { throw failure("took longer than \(seconds) seconds") }
        if printed.count > limit { throw failure("printed more than \(limit >> 10) KiB") }
        guard status & 0x7F == 0 else { throw failure("was ended by signal \(status & 0x7F)") }
        guard status >> 8 == 0 else { throw failure("failed with exit code \(status >> 8 & 0xFF)") }
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

    /// How it ended; one that has closed its output and stays is killed after a while.
    private static func ended(_ child: pid_t, _ isAlone: Bool, seconds: Int, _ ear: StderrCapture) -> CInt {
        let end = ContinuousClock.now + .seconds(seconds)
        var status: CInt = 0
        while true {
            let found = waitpid(child, &status, WNOHANG)
            if found == child || (found < 0 && errno != EINTR) { return status }
            if ContinuousClock.now > end { kill(isAlone ? -child : child, SIGKILL) }
            ear.listen()
            usleep(2000)
        }
    }

    private static var hasTerminal: Bool {
        let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
        if terminal >= 0 { close(terminal) }
        return terminal >= 0
    }

    private static func spawn(
        _ words: [String], _ output: CInt, _ input: CInt, _ errors: CInt, _ isAlone: Bool
    ) -> (child: pid_t, code: CInt) {
        var actions = posix_spawn_file_actions_t(), attributes = posix_spawnattr_t(), none = sigset_t(), usual = sigset_t()
        var child: pid_t = 0
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        // Pipes inside the program have to break as they do everywhere else.
        sigemptyset(&none)
        sigemptyset(&usual)
        for signal in [SIGPIPE, SIGTERM] { sigaddset(&usual, signal) }
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &usual)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (isAlone ? POSIX_SPAWN_SETPGROUP : 0)))
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        if errors != STDERR_FILENO { posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO) }
        ProgramStart.inheritStreamsOnly(&actions)
        var arguments = words.map { strdup($0) } + [nil], environment = inherited().map { strdup($0) } + [nil]
        defer { for text in arguments + environment { free(text) } }
        let code = posix_spawn(&child, words[0], &actions, &attributes, &arguments, &environment)
        return (child, code)
    }

    private static func inherited() -> [String] {
        var texts: [String] = [], entry = environ
        while let text = entry.pointee {
            texts.append(String(cString: text))
            entry += 1
        }
        return texts.filter { !$0.hasPrefix(PassphraseSource.variable + "=") }
    }
}

/// Both ends of a pipe, closed with the object.
private final class Pipe {
    private(set) var reading: CInt, writing: CInt

    init?() {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        (reading, writing) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
        closeReading()
        closeWriting()
    }

    func closeReading() {
        if reading >= 0 { close(reading) }
        reading = -1
    }

    func closeWriting() {
        if writing >= 0 { close(writing) }
        writing = -1
    }

    /// As much as the program takes; one that reads nothing may end before (SIGPIPE is ignored in this program).
    func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(writing, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Up to the end or the limit; nil when the time is up.
    func read(limit: Int, seconds: Int, beside ear: StderrCapture) -> [UInt8]? {
        let end = ContinuousClock.now + .seconds(seconds)
        var bytes: [UInt8] = [], part = [UInt8](repeating: 0, count: 4096)
        while bytes.count < limit {
            let left = (end - .now).components
            guard left.seconds >= 0, left.attoseconds >= 0 else { return nil }
            var watch = [
                pollfd(fd: reading, events: Int16(POLLIN), revents: 0), pollfd(fd: ear.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let ready = poll(&watch, 2, CInt(left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1))
            if ready == 0 || (ready < 0 && errno == EINTR) { continue }
            if watch[1].revents != 0 { ear.listen() }
            if watch[0].revents == 0 { continue }
            let count = Glibc.read(reading, &part, min(part.count, limit - bytes.count))
            if count < 0, errno == EINTR { continue }
            if count <= 0 { return bytes }
            bytes += part[..<count]
        }
        return bytes
    }
}
