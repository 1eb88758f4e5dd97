public import Foundation
import Synchronization

/// A PostgreSQL cluster in a folder of its own, from Debian's packages; ends with the test, or with the test's process.
public final class Cluster: Sendable {
    public let folder: String, port: Int

    /// Makes a cluster and starts it, with the role `postgres` for the tests.
    ///
    /// Blocks for about a second. `settings` go into its configuration; `prepare` is called before the start.
    public convenience init(settings: [String: String] = [:], prepare: (Cluster) throws -> Void = { _ in }) throws {
        try self.init(
            copying: { data in
                try Cluster.server(
                    "initdb",
                    [
                        "-D", data, "-A", "trust", "-U", "postgres", "--no-sync", "--no-instructions", "-E", "UTF8",
                        "--locale=C",
                    ])
            }, settings: settings, prepare: prepare)
    }

    init(
        copying make: (String) throws -> Void, settings: [String: String] = [:],
        prepare: (Cluster) throws -> Void = { _ in }
    ) throws {
        folder = NSTemporaryDirectory() + "filmgate-cluster-" + UUID().uuidString.prefix(8)
        port = try Self.freePort()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Self.tool("chmod", ["755", folder])
        if getuid() == 0 { try Self.tool("chown", ["postgres", folder]) }
        try make(data)
        try prepare(self)
        var text =
            "\nlisten_addresses = '127.0.0.1'\nport = \(port)\nunix_socket_directories = '\(folder)'\nfsync = off\n"
        text += "log_min_messages = fatal\nmax_connections = 80\nshared_buffers = 16MB\n"
        for (key, value) in settings { text += "\(key) = '\(value)'\n" }
        guard let file = FileHandle(forWritingAtPath: data + "/postgresql.conf") else {
            throw ClusterFault("no configuration")
        }
        try file.seekToEnd()
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
        try start()
    }

    deinit {
        stop(.quit)
        try? FileManager.default.removeItem(atPath: folder)
    }

    public var data: String { folder + "/data" }
    /// For libpq's `host`.
    public var socket: String { folder }

    /// An address over the socket, or over loopback.
    public func address(
        _ role: String = "postgres", database: String = "postgres", overSocket: Bool = true, _ more: String = ""
    ) -> String {
        let query = more.isEmpty ? "" : "?" + more
        guard overSocket else { return "postgresql://\(role)@127.0.0.1:\(port)/\(database)\(query)" }
        let host = folder.replacingOccurrences(of: "/", with: "%2F")
        return "postgresql://\(role)@\(host):\(port)/\(database)\(query)"
    }

    public enum End: String, Sendable { case quit = "immediate", fast }

    /// Waits until it takes connections.
    public func start() throws {
        // The shell ends the server when nobody holds its input any more, and takes the folder away unless it was told
        // to keep it: no test that dies leaves anything.
        let words = """
            folder=$1; shift; exec 3<&0; "$@" </dev/null & server=$!; word=$(cat <&3); kill -QUIT $server 2>/dev/null
            [ "$word" = keep ] && exit
            for i in 1 2 3 4 5 6 7 8 9 10; do [ -e "$folder/data/postmaster.pid" ] && sleep 0.2; done
            kill -KILL $server 2>/dev/null; rm -rf "$folder"
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", words, "sh", folder] + Self.asOwner + [Self.path("postgres"), "-D", data]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle(forWritingAtPath: try log())
        let input = try Self.spawn(process).input
        Self.running.withLock { $0[folder] = Held(input: input, process: process) }
        for _ in 0..<900 {
            if (try? Self.tool("pg_isready", ["-q", "-h", folder, "-p", "\(port)"])) != nil { return }
            if !process.isRunning { break }
            usleep(50_000)
        }
        throw ClusterFault(
            "the server did not start: \(try String(contentsOfFile: log(), encoding: .utf8).suffix(2000))")
    }

    /// The process of the server itself; nil while it is not running.
    public var processID: pid_t? {
        guard let text = try? String(contentsOfFile: data + "/postmaster.pid", encoding: .utf8) else { return nil }
        return text.split(separator: "\n").first.flatMap { pid_t($0) }
    }

    public func stop(_ end: End) {
        _ = try? Self.server("pg_ctl", ["-D", data, "-m", end.rawValue, "-w", "-t", "20", "stop"])
        letGo()
    }

    /// As if the power had gone: the server and all its processes at once.
    public func kill() {
        guard let server = processID else { return }
        let children =
            (try? Self.tool("pgrep", ["-P", "\(server)"]))?.split(separator: "\n").compactMap { pid_t($0) } ?? []
        for process in [server] + children { Foundation.kill(process, SIGKILL) }
        letGo()
        // A process that nobody has waited for yet counts as alive, and the next server would refuse to start beside
        // it.
        for file in ["/data/postmaster.pid", "/.s.PGSQL.\(port).lock"] { unlink(folder + file) }
    }

    /// Freezes the server and its present processes, or lets them go on.
    public func freeze(_ frozen: Bool) {
        guard let server = processID else { return }
        let children =
            (try? Self.tool("pgrep", ["-P", "\(server)"]))?.split(separator: "\n").compactMap { pid_t($0) } ?? []
        for process in [server] + children { Foundation.kill(process, frozen ? SIGSTOP : SIGCONT) }
    }

    private func letGo() {
        guard let held = Self.running.withLock({ $0.removeValue(forKey: folder) }) else { return }
        try? held.input.write(contentsOf: Data("keep".utf8))
        try? held.input.close()
        for _ in 0..<500 where held.process.isRunning { usleep(20_000) }
    }

    /// Runs SQL with `psql` as the cluster's owner and returns what it prints, without headings.
    @discardableResult
    public func sql(_ text: String, role: String = "postgres", database: String = "postgres") throws -> String {
        try Self.tool(
            "psql",
            ["-XAtq", "-v", "ON_ERROR_STOP=1", "-h", folder, "-p", "\(port)", "-U", role, "-d", database, "-c", text])
    }
}
