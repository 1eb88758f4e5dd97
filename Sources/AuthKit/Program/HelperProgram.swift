public import FilmgateCore
import Glibc

/// Runs a small program for what it prints: a credential helper, an unlock hook.
///
/// No shell: the words are what they are. Its stderr is ours, so that it can speak for itself; the passphrase variable is not passed on.
public enum HelperProgram {
    /// What the program printed, at most `limit` bytes.
    ///
    /// Blocks, at most for `seconds`; the program is killed then. `unauthorized`, with the program's name and never its output, when it
    /// cannot be started, fails, prints too much or takes too long.
    public static func run(_ words: [String], input: [UInt8] = [], seconds: Int = 30, limit: Int = 64 << 10) throws(IngestError) -> [UInt8]
    {
        guard let program = words.first, program.hasPrefix("/") else {
            throw IngestError(.misconfigured, "A program must be named by its whole path.")
        }
        func failure(_ what: String) -> IngestError { IngestError(.unauthorized, "\(program) \(what).") }
        guard let output = Pipe(), let feed = Pipe() else { throw failure("cannot be started: no more files can be opened") }
        let (child, code) = ProgramStart.whenWritten { spawn(words, output.writing, feed.reading) }
        output.closeWriting()
        feed.closeReading()
        if code != 0 { throw failure("cannot be started: \(String(cString: strerror(code)))") }
        feed.write(input)
        feed.closeWriting()
        let printed = output.read(limit: limit + 1, seconds: seconds)
        if printed == nil || printed.map({ $0.count > limit }) == true { kill(child, SIGKILL) }
        let status = ended(child, seconds: seconds)
        guard let printed else { throw failure("took longer than \(seconds) seconds") }
        if printed.count > limit { throw failure("printed more than \(limit >> 10) KiB") }
        guard status & 0x7F == 0 else { throw failure("was ended by signal \(status & 0x7F)") }
        guard status >> 8 == 0 else { throw failure("failed with exit code \(status >> 8 & 0xFF)") }
        return printed
    }

    /// How it ended; one that has closed its output and stays is killed after a while.
    private static func ended(_ child: pid_t, seconds: Int) -> CInt {
        let end = ContinuousClock.now + .seconds(seconds)
        var status: CInt = 0
        while true {
            let found = waitpid(child, &status, WNOHANG)
            if found == child || (found < 0 && errno != EINTR) { return status }
            if ContinuousClock.now > end { kill(child, SIGKILL) }
            usleep(2000)
        }
    }

    private static func spawn(_ words: [String], _ output: CInt, _ input: CInt) -> (child: pid_t, code: CInt) {
        var actions = posix_spawn_file_actions_t(), child: pid_t = 0
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        var arguments = words.map { strdup($0) } + [nil], environment = inherited().map { strdup($0) } + [nil]
        defer { for text in arguments + environment { free(text) } }
        let code = posix_spawn(&child, words[0], &actions, nil, &arguments, &environment)
        return (child, code)
    }

    private static func inherited() -> [String] {
        var texts: [String] = [], entry = environ
        while let text = entry.pointee {
            texts.append(String(cString: text))
            entry += 1
        }
        return texts.filter { !$0.hasPrefix(UnlockGate.variable + "=") }
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
    func read(limit: Int, seconds: Int) -> [UInt8]? {
        let end = ContinuousClock.now + .seconds(seconds)
        var bytes: [UInt8] = [], part = [UInt8](repeating: 0, count: 4096)
        while bytes.count < limit {
            let left = (end - .now).components
            guard left.seconds >= 0, left.attoseconds >= 0 else { return nil }
            var watch = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
            let ready = poll(&watch, 1, CInt(left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1))
            if ready == 0 || (ready < 0 && errno == EINTR) { continue }
            let count = Glibc.read(reading, &part, min(part.count, limit - bytes.count))
            if count < 0, errno == EINTR { continue }
            if count <= 0 { return bytes }
            bytes += part[..<count]
        }
        return bytes
    }
}
