import Glibc
import Synchronization

/// A real server, started by one of the scripts in `Tests/Scenarios/Peers/servers` on free ports of this machine.
///
/// Ends with `stop()`, with the object, and with this process, however that ends.
public final class ServerProcess: Sendable {
    public let ports: [Int]
    public var port: Int { ports[0] }
    /// Its own folder, removed at the end; below the system's temporary folder.
    public let folder: String
    private let guardian: pid_t
    private let leash: Mutex<CInt?>

    public struct Failure: Error, CustomStringConvertible { public let description: String }

    /// `script` by its name without `.sh`; it gets the folder and the ports as arguments, and stays in the foreground.
    ///
    /// Returns when all ports answer.
    public init(_ script: String, ports count: Int = 1, patience: Duration = .seconds(60)) async throws {
        var template = Array("\(Temporary.folder)/filmgate-server-XXXXXX".utf8CString)
        guard let path = mkdtemp(&template).map({ String(cString: $0) }) else {
            throw Failure(description: "No temporary folder.")
        }
        chmod(path, 0o755)
        (folder, ports) = (path, (0..<count).map { _ in FreePort.next() })
        let file = Self.scripts + "/" + script + ".sh"
        var pipe: [CInt] = [-1, -1]
        guard Glibc.pipe(&pipe) == 0, fcntl(pipe[1], F_SETFD, FD_CLOEXEC) == 0 else {
            throw Failure(description: "No pipe.")
        }
        guardian = Self.spawn(
            ["/bin/bash", "-c", Self.guardianText, file, path] + ports.map(String.init), input: pipe[0])
        close(pipe[0])
        leash = Mutex(pipe[1])
        try await answering(script, patience)
    }

    private func answering(_ script: String, _ patience: Duration) async throws {
        let end = ContinuousClock.now + patience
        for port in ports {
            while true {
                if let there = Socket.connect(port) ?? Socket.connect(port, host: 2) {
                    close(there)
                    break
                }
                guard ContinuousClock.now < end else {
                    throw Failure(description: "\(script) did not start: \(Temporary.text(of: folder + "/log"))")
                }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    deinit { stop() }

    public func stop() {
        let end = leash.withLock { $0.take() }
        guard let end else { return }
        close(end)
        waitpid(guardian, nil, 0)
    }

    /// Whether all these programs are installed.
    public static func has(_ programs: String...) -> Bool {
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        let folders: [String] = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin"]
        return programs.allSatisfy { program in folders.contains { access("\($0)/\(program)", X_OK) == 0 } }
    }

    /// Ends the server's whole process group as soon as our end of the pipe is closed; keeps nothing else of ours open.
    private static let guardianText = """
        for fd in /proc/self/fd/*; do fd=${fd##*/}; [ "$fd" -le 2 ] || eval "exec $fd>&-"; done
        setsid bash "$0" "$@" >"$1/log" 2>&1 </dev/null & child=$!
        read -r _
        kill -- -$child; (sleep 5; kill -9 -- -$child) 2>/dev/null & wait $child; kill $!
        rm -rf "$1"
        """

    private static let scripts: String = {
        let parts = #filePath.split(separator: "/").dropLast(4)
        return "/" + parts.joined(separator: "/") + "/Tests/Scenarios/Peers/servers"
    }()

    private static func spawn(_ words: [String], input: CInt) -> pid_t {
        var process: pid_t = -1
        var arguments = words.map { strdup($0) } + [nil]
        defer { for word in arguments { free(word) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        for descriptor: CInt in 1...2 { posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0) }
        // A dispatch thread's blocked signals must not be inherited: such a server could not be ended.
        var attributes = posix_spawnattr_t(), none = sigset_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        posix_spawn(&process, words[0], &actions, &attributes, &arguments, environ)
        return process
    }
}

/// The system's temporary folder, and small files in it.
public enum Temporary {
    public static var folder: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }

    /// A new folder of its own; nobody removes it.
    public static var ownFolder: String {
        var path = Array("\(folder)/filmgate-XXXXXX".utf8CString)
        _ = mkdtemp(&path)
        return String(decoding: path.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The beginning of a text file; empty when there is none.
    public static func text(of path: String, limit: Int = 65_536) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = fread(&bytes, 1, limit, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
