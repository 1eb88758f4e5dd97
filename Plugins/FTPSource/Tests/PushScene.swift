import FilmgateCore
import Foundation
import Glibc
import Logging

@testable import FTPSource

/// A listening source in a folder of its own, and clients that push to it.
final class PushScene {
    /// What the session with a port, or with the files of an event, can do.
    typealias Session = ReceivingSession & ConfirmingSession & ConcludingSession & ConditionReportingSession

    let folder: String, source: FTPSource
    let session: any Session
    let port: Int
    let listed: [SourceEntry]
    private let news: AsyncStream<SourceNews>

    struct Passwords: SecretResolver {
        func resolve(_ secret: Secret) throws(IngestError) -> SecretValue { SecretValue("pass-\(secret.shown ?? "")") }
    }

    /// `at`: a folder that an earlier scene left.
    init(
        at earlier: String? = nil, beside inboxes: PushInboxes = PushInboxes(), services: [any Sendable] = [],
        event: String? = nil, ledger: (any LedgerReader)? = nil, _ change: (inout FTPSource.Config) -> Void = { _ in }
    ) async throws {
        folder =
            earlier
            ?? FileManager.default.temporaryDirectory.appendingPathComponent("filmgate-ftp-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var config = FTPSource.Config()
        (config.listen, config.settle, config.incomplete) = ("127.0.0.1:0", .milliseconds(150), .seconds(3))
        config.inbox = folder + "/inbox"
        config.logins = .listed(
            ["ann", "bob", "cyd"].map { user in
                var login = PushLogin()
                (login.user, login.password) = (user, Secret(.environment(user)))
                return login
            })
        change(&config)
        var lookup = Lookup(ledger: ledger)
        lookup.secrets = Passwords()
        lookup.services = [inboxes] + services
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let context = ModuleContext(name: "ftp", logger: logger, state: folder, event: event, lookup: lookup)
        source = try FTPSource(config, context)
        session = try await Self.open(try await source.places()[0], of: source)
        port = (session as? FTPPushSession)?.port ?? 0
        listed = try await session.entries()
        news = try await session.arrivals()
    }

    private static func open(_ place: SourcePlace, of source: FTPSource) async throws -> any Session {
        guard let session = try await source.open(place) as? any Session else {
            throw IngestError(.unexpected, "The session cannot do what every other can.")
        }
        return session
    }

    /// The session with another place of the source.
    func open(_ place: SourcePlace) async throws -> any Session { try await Self.open(place, of: source) }

    func close(keeping: Bool = false) async {
        await session.close()
        if !keeping { try? FileManager.default.removeItem(atPath: folder) }
    }

    static func password(_ user: String) -> String { "pass-${env:\(user)}" }

    /// What was pushed and handed on, in order: path and bytes.
    func arrived(_ count: Int) async -> [(path: String, data: Data)] {
        await entries(count).map { entry in
            let data = session.localPath(entry.origin).flatMap { FileManager.default.contents(atPath: $0) }
            return (entry.origin.path, data ?? Data())
        }
    }

    /// The next files that are handed on.
    func entries(_ count: Int) async -> [SourceEntry] {
        var found: [SourceEntry] = []
        for await item in news {
            guard case .arrived(let entry) = item else { continue }
            found.append(entry)
            if found.count == count { break }
        }
        return found
    }

    var counts: String { (session as? FTPPushSession).map { "\($0.counts)" } ?? "" }
    func count<Value>(_ path: KeyPath<FTPPushSession, Value>) -> Value? { (session as? FTPPushSession)?[keyPath: path] }

    func file(_ name: String, _ data: Data) throws -> String {
        let path = folder + "/" + name
        try data.write(to: URL(fileURLWithPath: path))
        return path
    }

    /// curl's exit code.
    @discardableResult func curl(
        _ arguments: String..., as user: String = "ann", password: String? = nil, scheme: String = "ftp",
        to path: String = ""
    ) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
        let login = "\(user):\(password ?? Self.password(user))"
        process.arguments =
            ["-s", "-k", "--max-time", "300", "-u", login] + arguments + ["\(scheme)://127.0.0.1:\(port)/\(path)"]
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// A certificate for this machine, made for the test.
    static func certificate(in folder: String) throws -> (certificate: String, key: String) {
        let process = Process(), (certificate, key) = (folder + "/cert.pem", folder + "/key.pem")
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj", "/CN=localhost", "-keyout", key, "-out", certificate,
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return (certificate, key)
    }

    /// A whole JPEG of about that size.
    static func jpeg(_ size: Int, _ seed: UInt8 = 1) -> Data {
        var data = Data([0xFF, 0xD8])
        while data.count < size {
            let part = min(60_000, max(1, size - data.count))
            data +=
                Data([0xFF, 0xFE, UInt8((part + 2) >> 8), UInt8((part + 2) & 0xFF)])
                + Data(repeating: seed, count: part)
        }
        return data + Data([0xFF, 0xD9])
    }
}

/// A control connection typed by hand: what bodies send, in their order.
final class RawClient {
    private var descriptor: Int32
    private let home: String, server: Int
    private var user = ""

    /// `home` = the address that it comes from: another body's.
    init?(_ port: Int, from home: String = "127.0.0.1") {
        (self.home, server) = (home, port)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var own = sockaddr_in()
        own.sin_family = sa_family_t(AF_INET)
        own.sin_addr.s_addr = inet_addr(home)
        _ = withUnsafePointer(to: &own) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// As clients send ABOR: the last byte is an urgent one.
    func sendUrgently(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_OOB)) }
    }

    func send(_ bytes: [UInt8]) { _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } }

    /// The answer's code; 0 when the server closed.
    @discardableResult func say(_ line: String) -> Int {
        send(Array((line + "\r\n").utf8))
        return code(reply())
    }

    func code(_ reply: String) -> Int { Int(reply.prefix(3)) ?? 0 }

    /// One answer, all its lines.
    func reply() -> String {
        var bytes: [UInt8] = [], byte: UInt8 = 0
        while read(descriptor, &byte, 1) == 1 {
            bytes.append(byte)
            guard byte == 0x0A else { continue }
            let last = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).last ?? ""
            if last.count >= 4, last.prefix(3).allSatisfy(\.isNumber), last.dropFirst(3).first == " " { break }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    func logIn(_ user: String) -> Bool {
        self.user = user
        _ = reply()
        return say("USER \(user)") == 331 && say("PASS \(PushScene.password(user))") == 230
    }

    /// Stores bytes over a passive connection; the final answer's code.
    func store(_ verb: String, _ data: Data) -> Int {
        guard let other = begin(verb) else { return -2 }
        other.send(Array(data))
        other.hangUp()
        return code(reply())
    }

    /// The passive connection for a transfer that was begun; nil when it was refused.
    func begin(_ verb: String) -> RawClient? {
        send(Array("PASV\r\n".utf8))
        let numbers = reply().split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }
        guard numbers.count == 7, let other = RawClient(numbers[5] << 8 | numbers[6], from: home) else { return nil }
        return say(verb) == 150 ? other : nil
    }

    func hangUp() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// As when the network is gone.
    func breakOff() {
        var hard = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
        close(descriptor)
        descriptor = -1
    }

    /// What SIZE answers; nil when there is no such file.
    func size(_ name: String) -> Int? {
        send(Array("SIZE \(name)\r\n".utf8))
        let words = reply().split(whereSeparator: \.isWhitespace)
        return words.first == "213" ? words.dropFirst().first.flatMap { Int($0) } : nil
    }

    /// Sends the first bytes of a file and loses the connection; returns once they are there.
    func breakOff(_ name: String, after bytes: Data) -> Bool {
        guard let line = begin("STOR \(name)") else { return false }
        line.send(Array(bytes))
        while size(of: name) != bytes.count { usleep(10_000) }
        line.breakOff()
        return code(reply()) == 426
    }

    /// Asked over another connection of the same body.
    private func size(of name: String) -> Int? {
        guard let other = RawClient(server, from: home), other.logIn(user) else { return nil }
        return other.size(name)
    }
}
