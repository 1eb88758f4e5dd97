import FileKit
import FilmgateCore
import Glibc

/// One run of a program: no shell, nothing inherited but its own environment, ended with everything it started.
struct Program: Sendable {
    struct Ending: Sendable {
        /// As a shell counts: 128 + signal when it was killed.
        var status: Int
        /// The ends of what it wrote, 64 KiB each.
        var output: String, errors: String
    }
    var words: [String], environment: [String: String], timeout: Duration

    static func isExecutable(_ path: String) -> Bool { access(path, X_OK) == 0 }

    /// Blocks until it has ended.
    ///
    /// `cancelled` when stopped, `unavailable` when it took too long.
    func run(_ stop: StopFlag) throws(IngestError) -> Ending {
        var out: [CInt] = [-1, -1], err: [CInt] = [-1, -1]
        guard pipe(&out) == 0, pipe(&err) == 0 else { throw IngestError(.unexpected, "No pipe for \(words[0]).") }
        for descriptor in out + err { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        defer { for descriptor in [out[0], err[0]] { close(descriptor) } }
        let (process, failure) = ProgramStart.whenWritten(unless: { stop.isRaised }) { spawn(out[1], err[1]) }
        close(out[1])
        close(err[1])
        guard failure == 0 else { return Ending(status: 127, output: "", errors: String(cString: strerror(failure))) }
        var output: [UInt8] = [], errors: [UInt8] = []
        let end = ContinuousClock.now + timeout
        var status: CInt = 0
        while true {
            drain(out[0], into: &output, wait: 50)
            drain(err[0], into: &errors, wait: 0)
            if Self.isOver(process) { break }
            // Nobody can see how far it is: its own limit says how long it may take.
            ProgressMark.current?.note()
            guard !stop.isRaised, ContinuousClock.now < end else {
                kill(-process, SIGKILL)
                waitpid(process, &status, 0)
                throw stop.isRaised
                    ? IngestError(.cancelled, "Stopped while \(words[0]) was running.")
                    : IngestError(.unavailable, "\(words[0]) took longer than \(timeout.shown ?? "").")
            }
        }
        // What it left running ends with it; before it is reaped, for its number may be another program's from then on.
        kill(-process, SIGKILL)
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        drain(out[0], into: &output, wait: 0)
        drain(err[0], into: &errors, wait: 0)
        let code = status & 0x7F == 0 ? Int(status >> 8 & 0xFF) : 128 + Int(status & 0x7F)
        return Ending(status: code, output: String(decoding: output, as: UTF8.self), errors: String(decoding: errors, as: UTF8.self))
    }

    /// Whether it has ended; it stays there to be reaped.
    private static func isOver(_ process: pid_t) -> Bool {
        var found = siginfo_t()
        return waitid(P_PID, id_t(process), &found, WEXITED | WNOHANG | WNOWAIT) == 0 && found.si_signo == SIGCHLD
    }

    /// Takes what is there without waiting for more; keeps the last 64 KiB.
    ///
    /// No more than a pipe holds at a time: a program that never stops writing must not keep us from looking at the clock.
    private func drain(_ descriptor: CInt, into bytes: inout [UInt8], wait: CInt) {
        var buffer = [UInt8](repeating: 0, count: 4096), wait = wait
        defer { if bytes.count > 65_536 { bytes.removeFirst(bytes.count - 65_536) } }
        for _ in 0..<32 {
            var watch = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&watch, 1, wait) > 0, watch.revents & Int16(POLLIN) != 0 else {
                // A program that closed its output is waited for all the same.
                if wait > 0, watch.revents != 0 { usleep(5000) }
                return
            }
            let got = read(descriptor, &buffer, buffer.count)
            guard got > 0 else { return }
            bytes += buffer[..<got]
            wait = 0
        }
    }

    private func spawn(_ out: CInt, _ err: CInt) -> (child: pid_t, code: CInt) {
        var process: pid_t = -1
        var arguments = words.map { strdup($0) } + [nil]
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        let given = environment.merging(["PATH": path, "HOME": getenv("HOME").map { String(cString: $0) } ?? "/"]) { first, _ in first }
        var variables = given.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for word in arguments + variables { free(word) } }
        var actions = posix_spawn_file_actions_t(), attributes = posix_spawnattr_t(), none = sigset_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, out, 1)
        posix_spawn_file_actions_adddup2(&actions, err, 2)
        ProgramStart.inheritStreamsOnly(&actions)
        // A dispatch thread's blocked signals must not be inherited, and the program gets a group of its own.
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        // Pipes inside the program have to break as they do everywhere else.
        var usual = sigset_t()
        sigemptyset(&usual)
        sigaddset(&usual, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &usual)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        let code = posix_spawn(&process, words[0], &actions, &attributes, &arguments, &variables)
        return (process, code)
    }
}
