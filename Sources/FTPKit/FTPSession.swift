import FileKit
import FilmgateCore
import Logging
import NIOCore
import NIOSSL
import ServerKit

/// One client's control connection.
///
/// Tolerant where bodies are sloppy, strict where somebody could do harm.
final class FTPSession {
    let server: FTPServer
    let channel: any Channel
    let peer: String
    let lines: CommandReceiver
    var login: FTPLogin?
    var destination: FTPDestination { login?.destination ?? server.destination }
    var folder = FTPPath.root
    /// Whether the control connection is under TLS.
    private(set) var isProtected: Bool
    let data: DataConnector
    /// From REST: where the next file goes on.
    var restart: UInt64?
    /// How much of a file was here when its client asked last: an APPE stands behind that.
    var sized: (path: FTPPath, size: UInt64)?
    var renaming: FTPPath?
    /// The client said that it sends text.
    var isText = false
    private var user = ""
    private var failures = 0
    /// How long somebody may take who has not logged in.
    private static let loginPatience = TimeAmount.seconds(60)

    /// `peer`: the client's address, which a balancer may have told.
    init(_ server: FTPServer, _ channel: any Channel, _ lines: CommandReceiver, from peer: String) {
        (self.server, self.channel, self.lines, self.peer) = (server, channel, lines, peer)
        isProtected = server.options.tls == .implicit
        data = DataConnector(server, channel, lines, peer: peer, isProtected: isProtected)
    }

    func serve() async {
        await say("220 filmgate")
        while let line = await lines.next(within: patience) {
            guard await handle(line) else { break }
            if server.isLeaving {
                await say("421 The server is stopping.")
                break
            }
        }
        data.close()
        try? await channel.close().get()
    }

    private var patience: TimeAmount {
        let idle = TimeAmount(server.options.idle)
        return login == nil ? min(idle, Self.loginPatience) : idle
    }

    func say(bytes: [UInt8]) async { try? await channel.writeAndFlush(ByteBuffer(bytes: bytes + [0x0D, 0x0A])).get() }
    func say(_ text: String) async { try? await channel.writeAndFlush(ByteBuffer(string: text + "\r\n")).get() }

    /// False ends the connection.
    private func handle(_ line: FTPCommand) async -> Bool {
        switch line.verb {
        case "QUIT":
            await say("221 Goodbye.")
            return false
        case "USER": await takeUser(line.argument)
        case "PASS": return await takePassword(line.argument)
        case "AUTH": await protect(line.argument)
        case "PBSZ": await say("200 PBSZ=0")
        default:
            if await tellFacts(line) { return true }
            if login?.hasExpired == true {
                login = nil
                server.note(channel, .speaking)
                await say("530 That login has expired; log in again.")
                return true
            }
            guard login != nil else {
                await say("530 Log in first.")
                return true
            }
            await handleFiles(line)
        }
        return true
    }

    // MARK: Who

    private func takeUser(_ name: String) async {
        if login != nil { server.note(channel, .speaking) }
        (login, user) = (nil, name)
        if await !lacksTLS("wanted to log in") { await say("331 Password, please.") }
    }

    /// True where nothing is taken in the clear, and the client has been told.
    private func lacksTLS(_ what: String) async -> Bool {
        guard server.options.tls == .required, !isProtected else { return false }
        refuse("\(peer) \(what) without TLS") { $0.plainRefused += 1 }
        await say("534 TLS first: AUTH TLS.")
        return true
    }

    private func takePassword(_ password: String) async -> Bool {
        if await lacksTLS("sent a password") { return true }
        let (user, peer, logins) = (user, peer, server.logins), network = PeerAddress.network(peer)
        let attempt = LoginThrottle.Attempt(network: network, login: logins.name(of: user)), gone = channel.closeFuture
        server.noteWaiting(channel, for: attempt.login)
        let verdict = await server.loginQueue.answer(
            attempt, whenGone: { leave in gone.whenComplete { _ in leave() } }
        ) { await logins.verdict(user, password, from: peer) }
        switch verdict {
        case nil: return false
        case .right(let found)?:
            (login, failures) = (found, 0)
            server.note(channel, .known)
            await say("230 Welcome.")
            return true
        case .unknown(let reason)?:
            server.note(channel, .speaking)
            refuse("nobody could say whether \(peer) may log in: \(reason)") { $0.unasked += 1 }
            await say("421 Logins cannot be looked up now; try again later.")
            return false
        case .wrong?: return await refuseLogin(network)
        }
    }

    /// False ends the connection.
    private func refuseLogin(_ network: String) async -> Bool {
        failures += 1
        server.note(channel, .speaking)
        refuse("wrong user or password from \(peer)") { $0.wrongPasswords += 1 }
        // Where passwords have to wait, each gives its place to whoever comes next.
        let isOver = failures >= 3
        await say(isOver ? "421 Too many wrong passwords." : "530 Wrong user or password.")
        return !isOver && !server.loginQueue.isSlowed(network)
    }

    private func protect(_ way: String) async {
        guard let tls = server.tls, !isProtected, ["TLS", "SSL", "TLS-C"].contains(way.uppercased()) else {
            return await lines.refuseTLS(
                server.tls == nil ? "502 There is no TLS here." : "504 AUTH TLS only, and once.")
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
        server.refuse(what, from: peer, change)
    }
}
