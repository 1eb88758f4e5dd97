import Foundation
import Synchronization

/// What went wrong with a cluster or with a tool of it.
public struct ClusterFault: Error, CustomStringConvertible {
    public let description: String
    init(_ text: String) { description = text }
}

extension Cluster {
    // Used under the lock, or by whoever took it out.
    struct Held: @unchecked Sendable { let input: FileHandle, process: Process }
    static let running = Mutex<[String: Held]>([:])

    private static let spawning = Mutex(())

    /// Starts a process with a pipe for its input and perhaps one for its output, one process at a time: a child that
    /// is started meanwhile would hold a pipe open, and nobody would notice its end.
    static func spawn(_ process: Process, readingOutput: Bool = false) throws -> (input: FileHandle, output: FileHandle)
    {
        try spawning.withLock { _ in
            let input = Pipe(), output = Pipe()
            for pipe in [input, output] {
                for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
                    _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
                }
            }
            process.standardInput = input
            if readingOutput { (process.standardOutput, process.standardError) = (output, output) }
            try process.run()
            try? input.fileHandleForReading.close()
            try? output.fileHandleForWriting.close()
            return (input.fileHandleForWriting, output.fileHandleForReading)
        }
    }

    /// PostgreSQL refuses to run as root.
    static var asOwner: [String] {
        getuid() == 0 ? ["/usr/bin/setpriv", "--reuid", "postgres", "--regid", "postgres", "--init-groups", "--"] : []
    }

    /// Debian keeps the servers of several versions beside each other; the newest is taken.
    static func path(_ program: String) -> String {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        for version in versions.sorted(by: { Int($0) ?? 0 > Int($1) ?? 0 }) {
            let path = "/usr/lib/postgresql/\(version)/bin/\(program)"
            if access(path, X_OK) == 0 { return path }
        }
        return "/usr/bin/" + program
    }

    /// Whether tests with clusters can be run here.
    public static var isInstalled: Bool { access(path("postgres"), X_OK) == 0 && access(path("initdb"), X_OK) == 0 }

    @discardableResult
    public static func server(_ program: String, _ arguments: [String]) throws -> String {
        try output(asOwner + [path(program)] + arguments)
    }

    @discardableResult
    public static func tool(_ program: String, _ arguments: [String]) throws -> String {
        try output(["/usr/bin/env", program] + arguments)
    }

    private static func output(_ words: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: words[0])
        process.arguments = Array(words.dropFirst())
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        let ends = try spawn(process, readingOutput: true)
        try ends.input.close()
        let text = String(decoding: ends.output.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw ClusterFault("\(words.joined(separator: " ")): \(text)") }
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }

    /// Written by the server's shell, for what it says when it does not start.
    func log() throws -> String {
        let path = folder + "/log"
        if access(path, F_OK) != 0 { _ = FileManager.default.createFile(atPath: path, contents: nil) }
        return path
    }

    public static func freePort() throws -> Int {
        for _ in 0..<ports.count {
            let port = following.withLock { number in
                number = (number + 1) % ports.count
                return ports.lowerBound + number
            }
            if isFree(port) { return port }
        }
        throw ClusterFault("no port is free")
    }

    /// Below those that the system gives to connections: until the server has it, no other connection takes it.
    private static let ports = 20_000..<30_000
    private static let following = Mutex(Int(getpid()) &* 89 % ports.count)

    private static func isFree(_ port: Int) -> Bool {
        let socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in(), isOn: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
        (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), UInt16(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
