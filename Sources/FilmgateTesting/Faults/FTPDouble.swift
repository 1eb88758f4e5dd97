import Dispatch
import FileKit
import Glibc
import Synchronization

/// A small FTP server on loopback, without TLS, that holds its files in memory and refuses what it is told to.
///
/// Names are bytes to it, written as `PathText` does, and renaming replaces what has the new name: as on most servers'
/// disks.
///
/// Each connection has a thread of its own. Ends with `stop()`.
public final class FTPDouble: Sendable {
    public let port: Int
    private let listener: CInt
    private let refusal: @Sendable (_ verb: String) -> String?
    private let held: Mutex<[String: [UInt8]]>
    private let heard = Mutex<[String]>([])
    private let hidesNames: Bool
    /// How many uploads are still to come late, and what the broken ones will write when the next file is about to be
    /// renamed.
    private let late: Mutex<(left: Int, writes: [(path: String, bytes: [UInt8])])>

    /// Listens from now on.
    ///
    /// `files`: by absolute path. `hidesNames`: lists are empty, as vsftpd's of folders that it may not open.
    /// `refusal`: what a command is answered with in place of doing it; nil: it is done. `comesLate`: of so many
    /// uploads the connection breaks, and the server, which is busy, begins with them only when the file after them is
    /// whole: it cuts what is under their name by then.
    public init(
        _ files: [String: [UInt8]] = [:], hidesNames: Bool = false, comesLate: Int = 0,
        _ refusal: @escaping @Sendable (_ verb: String) -> String? = { _ in nil }
    ) throws {
        (listener, port) = try Socket.listen()
        self.hidesNames = hidesNames
        held = Mutex(files)
        late = Mutex((comesLate, []))
        self.refusal = refusal
        Self.thread { self.accept() }
    }

    deinit { close(listener) }

    public var files: [String: [UInt8]] { held.withLock(\.self) }

    /// The commands so far, of all connections.
    public var commands: [String] { heard.withLock(\.self) }

    /// Takes no new connections.
    public func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private static func thread(_ body: @escaping @Sendable () -> Void) {
        DispatchQueue(label: "ftp-double").async(execute: body)
    }

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            if client < 0 { if errno == EINTR || errno == ECONNABORTED { continue } else { return } }
            Self.thread {
                var visit = ClientConnection(client)
                visit.say("220 Here.")
                while let line = visit.line(), self.serve(line, &visit) {}
                visit.end()
            }
        }
    }

    /// False: the client is leaving.
    private func serve(_ line: String, _ visit: inout ClientConnection) -> Bool {
        let cut = line.firstIndex(of: " ") ?? line.endIndex, verb = line[..<cut].uppercased()
        let path = visit.absolute(String(line[cut...].drop { $0 == " " }))
        heard.withLock { $0.append(line) }
        if let refused = refusal(verb) {
            visit.say(refused)
            return true
        }
        switch verb {
        case "QUIT": return false
        case "USER": visit.say("331 Password?")
        case "PASS": visit.say("230 Welcome.")
        case "PWD": visit.say("257 \"\(visit.folder)\"")
        case "CWD", "MKD": visit.enter(path, verb)
        case "TYPE": visit.say("200 Fine.")
        case "EPSV": visit.openTransfer()
        case "NLST" where hidesNames: visit.send([], "226 Transfer done (but failed to open directory).")
        case "NLST": visit.send(PathText.bytes(of: names(in: path).map { $0 + "\r\n" }.joined()))
        case "SIZE": visit.say(files[path].map { "213 \($0.count)" } ?? "550 Not here.")
        case "RETR": if let bytes = files[path] { visit.send(bytes) } else { visit.say("550 Not here.") }
        case "STOR":
            let bytes = visit.receive()
            guard !isLate(path, bytes) else { return false }
            held.withLock { $0[path] = bytes }
            visit.say("226 Done.")
        case "DELE":
            let isGone = held.withLock { $0.removeValue(forKey: path) } != nil
            visit.say(isGone ? "250 Done." : "550 Not here.")
        case "RNFR":
            writeLate()
            visit.renamed = path
            visit.say("350 To what?")
        case "RNTO":
            held.withLock { $0[path] = $0.removeValue(forKey: visit.renamed) }
            visit.say("250 Done.")
        default: visit.say("502 Unknown.")
        }
        return true
    }

    private func isLate(_ path: String, _ bytes: [UInt8]) -> Bool {
        late.withLock { late in
            guard late.left > 0 else { return false }
            late.left -= 1
            late.writes.append((path, Array(bytes.prefix(bytes.count / 2))))
            return true
        }
    }

    private func writeLate() {
        let writes = late.withLock { late in
            defer { late.writes = [] }
            return late.writes
        }
        held.withLock { held in for (path, bytes) in writes { held[path] = bytes } }
    }

    private func names(in folder: String) -> [String] {
        let start = folder == "/" ? folder : folder + "/"
        return files.keys.filter { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
    }
}

/// One client's connection, and where it stands.
private struct ClientConnection {
    private let descriptor: CInt
    private var pending: [UInt8] = [], transfers: CInt = -1
    private(set) var folder = "/"
    var renamed = ""

    init(_ descriptor: CInt) { self.descriptor = descriptor }

    func say(_ reply: String) { _ = Wire(descriptor).send(Array((reply + "\r\n").utf8)) }

    mutating func line() -> String? {
        var byte: UInt8 = 0
        pending = []
        while recv(descriptor, &byte, 1, 0) == 1 {
            if byte == 10 { return String(pathBytes: pending.filter { $0 != 13 }) }
            pending.append(byte)
        }
        return nil
    }

    func absolute(_ path: String) -> String {
        let whole = path.hasPrefix("/") ? path : folder + "/" + path
        return "/" + whole.split(separator: "/").joined(separator: "/")
    }

    mutating func enter(_ path: String, _ verb: String) {
        if verb == "CWD" { folder = path }
        say("250 Fine.")
    }

    mutating func openTransfer() {
        closeTransfers()
        guard let (listener, port) = try? Socket.listen() else { return say("421 No port.") }
        transfers = listener
        say("229 Entering (|||\(port)|)")
    }

    func send(_ bytes: [UInt8], _ ending: String = "226 Done.") {
        say("150 Here it comes.")
        let data = Glibc.accept(transfers, nil, nil)
        _ = Wire(data).send(bytes)
        close(data)
        say(ending)
    }

    func receive() -> [UInt8] {
        say("150 Send it.")
        let data = Glibc.accept(transfers, nil, nil)
        defer { close(data) }
        return Wire(data).readToEnd()
    }

    private mutating func closeTransfers() {
        if transfers >= 0 { close(transfers) }
        transfers = -1
    }

    mutating func end() {
        closeTransfers()
        close(descriptor)
    }
}
