import FileKit
import FilmgateCore
import Logging
import NIOCore
import NIOSSL

/// One client's control connection.
///
/// Tolerant where bodies are sloppy, strict where somebody could do harm.
final class FTPSession {
    let server: FTPServer, channel: any Channel, peer: String
    private let lines: LineInbox
    var login: FTPLogin?
    var folder = FTPPath.root
    var isProtected: Bool, protectsData = false
    /// From REST: where the next file goes on.
    var restart: UInt64?
    var renaming: FTPPath?
    var door: DataDoor?
    private var user = "", failures = 0

    init(_ server: FTPServer, _ channel: any Channel, _ lines: LineInbox) {
        (self.server, self.channel, self.lines) = (server, channel, lines)
        peer = channel.remoteAddress?.ipAddress ?? ""
        isProtected = server.options.tls == .implicit
        protectsData = isProtected
    }

    func serve() async {
        await say("220 filmgate")
        while let line = await lines.next() {
            guard await handle(line) else { break }
        }
        door?.close()
        try? await channel.close().get()
    }

    func say(_ text: String) async { try? await channel.writeAndFlush(ByteBuffer(string: text + "\r\n")).get() }

    /// False ends the connection.
    private func handle(_ line: FTPCommand) async -> Bool {
        switch line.verb {
        case "QUIT":
            await say("221 Goodbye.")
            return false
        case "USER": return await takeUser(line.argument)
        case "PASS": return await takePassword(line.argument)
        case "AUTH": await protect(line.argument)
        case "PBSZ": await say("200 PBSZ=0")
        case "FEAT":
            await say(
                "211-Features:\r\n UTF8\r\n SIZE\r\n REST STREAM\r\n EPSV\r\n EPRT\(server.tls == nil ? "" : "\r\n AUTH TLS\r\n PBSZ\r\n PROT")\r\n211 End"
            )
        case "SYST": await say("215 UNIX Type: L8")
        case "NOOP", "ALLO", "ACCT": await say("200 OK.")
        case "OPTS", "CLNT", "MODE", "STRU", "TYPE", "HELP", "STAT", "SITE": await say("200 OK.")
        default:
            guard login != nil else {
                await say("530 Log in first.")
                return true
            }
            await handleFiles(line)
        }
        return true
    }

    // MARK: Who

    private var needsTLS: Bool { server.options.tls == .required && !isProtected }

    private func takeUser(_ name: String) async -> Bool {
        (login, user) = (nil, name)
        if needsTLS {
            refuse("\(peer) wanted to log in without TLS") { $0.plainRefused += 1 }
            await say("534 TLS first: AUTH TLS.")
        } else {
            await say("331 Password, please.")
        }
        return true
    }

    private func takePassword(_ password: String) async -> Bool {
        if needsTLS {
            refuse("\(peer) sent a password without TLS") { $0.plainRefused += 1 }
            await say("534 TLS first: AUTH TLS.")
            return true
        }
        let found = server.logins.first { $0.user == user }
        if let found, Self.equal(found.password.reveal(), password) {
            (login, failures) = (found, 0)
            server.know(channel)
            await say("230 Welcome.")
            return true
        }
        failures += 1
        refuse("wrong user or password from \(peer)") { $0.wrongPasswords += 1 }
        // Slower with each guess.
        try? await Task.sleep(for: .milliseconds(500) * failures)
        await say(failures >= 3 ? "421 Too many wrong passwords." : "530 Wrong user or password.")
        return failures < 3
    }

    /// Takes the same time wherever the first difference is.
    private static func equal(_ a: String, _ b: String) -> Bool {
        let first = Array(a.utf8), second = Array(b.utf8)
        var difference = first.count ^ second.count
        for index in 0..<max(first.count, second.count) {
            difference |= Int(index < first.count ? first[index] : 0) ^ Int(index < second.count ? second[index] : 0)
        }
        return difference == 0
    }

    private func protect(_ way: String) async {
        guard let tls = server.tls, !isProtected, ["TLS", "SSL", "TLS-C"].contains(way.uppercased()) else {
            await say(server.tls == nil ? "502 There is no TLS here." : "504 AUTH TLS only, and once.")
            _ = try? await channel.eventLoop.submit { [lines] in lines.upgraded() }.get()
            return
        }
        isProtected = true
        login = nil
        // In one turn of the event loop: the answer leaves in the clear, and whatever comes next is TLS.
        let upgraded: Void? = try? await channel.eventLoop.submit { [channel, lines] in
            channel.writeAndFlush(ByteBuffer(string: "234 Go on.\r\n"), promise: nil)
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls), position: .first)
            lines.upgraded()
        }.get()
        if upgraded == nil { try? await channel.close().get() }
    }

    func refuse(_ what: String, _ change: (inout FTPCounts) -> Void) {
        server.count(change)
        server.logger.warning("FTP: refused: \(what)")
    }
}
