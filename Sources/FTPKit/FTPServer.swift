package import FilmgateCore
import Glibc
package import Logging
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// An FTP server that only takes: logins push files into an inbox, nobody reads or deletes anything.
package final class FTPServer: Sendable {
    /// What a client did.
    package enum Event: Sendable {
        /// Everything was sent and is durable. `abandoned` = the connection broke before the end; the client may go on later.
        case received(FTPFile, abandoned: Bool)
        case renamed(Renaming)
        /// Somebody was turned away: `password`, `path`, `tls` or `elsewhere`.
        case refused(String)
    }
    /// Places in the inbox, before and after, and the name that the client gave.
    package struct Renaming: Sendable {
        package var login: String, path: FTPPath, from: String, to: String
        /// Its client was told that all of it is safe.
        package var isFinished: Bool
    }
    private struct State {
        var listener: (any Channel)?, guests: [ObjectIdentifier: Guest] = [:], counts = FTPCounts(), isStopped = false
        var lines: [ObjectIdentifier: DataLine] = [:]
    }
    /// One control connection.
    private struct Guest {
        var channel: any Channel, number: Int
        /// Has logged in.
        var isKnown = false
    }

    let options: FTPOptions, logins: [FTPLogin], inbox: FTPInbox, logger: Logger, tls: NIOSSLContext?
    let group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    let pool = BlockingPool("ftp", width: 4)
    let tell: @Sendable (Event) -> Void
    private let state = Mutex(State())

    /// `tell` is called on any thread and must be quick.
    ///
    /// `misconfigured` where the certificate cannot be used or there is no login.
    package init(
        _ options: FTPOptions, logins: [FTPLogin], inbox: FTPInbox, logger: Logger, tell: @escaping @Sendable (Event) -> Void
    ) throws(IngestError) {
        guard !logins.isEmpty else { throw IngestError(.misconfigured, "An FTP server needs at least one login.") }
        (self.options, self.logins, self.inbox, self.logger, self.tell) = (options, logins, inbox, logger, tell)
        tls = try options.tls == .none ? nil : Self.context(options)
    }

    /// A login as the name of a folder.
    package static func folderName(_ user: String) -> String { SafeName.component(user) }

    package var counts: FTPCounts { state.withLock(\.counts) }
    package var port: Int { state.withLock { $0.listener?.localAddress?.port ?? options.port } }

    func count(_ change: (inout FTPCounts) -> Void) {
        let refusal = state.withLock { state in
            let before = state.counts
            change(&state.counts)
            return state.counts.refusal(since: before)
        }
        if let refusal { tell(.refused(refusal)) }
    }

    /// Listens.
    ///
    /// `unavailable` when the port is in use, `accessDenied` when it is not for ordinary users.
    package func start() async throws(IngestError) {
        let options = options
        let bootstrap = ServerBootstrap(group: group).serverChannelOption(.backlog, value: 64)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1).childChannelOption(.socketOption(.so_keepalive), value: 1)
            .childChannelInitializer { channel in channel.eventLoop.makeCompletedFuture { try self.welcome(channel) } }
        do {
            let listener = try await bootstrap.bind(host: options.host, port: options.port).get()
            state.withLock { $0.listener = listener }
        } catch {
            let code = (error as? IOError)?.errnoCode
            if code == 13 {
                throw IngestError(
                    .misconfigured, "Port \(options.port) is for the system's own services.",
                    advice: "Choose one from 1024 on, such as `listen: \"\(options.host):2121\"`.", cause: error)
            }
            throw Self.refusal(options, code, error)
        }
    }

    private static func refusal(_ options: FTPOptions, _ code: CInt?, _ error: any Error) -> IngestError {
        let place = "\(options.host):\(options.port)"
        switch code {
        case EADDRINUSE:
            return IngestError(
                .unavailable, "Port \(options.port) at \(options.host) is in use by another program.",
                advice: "That may be an FTP server of this computer, or another filmgate: `ss -ltnp 'sport = :\(options.port)'` names it. "
                    + "Stop it, or choose another port with `listen: \"\(options.host):PORT\"`.", cause: error)
        case EADDRNOTAVAIL:
            return IngestError(
                .unavailable, "This computer has no address \(options.host), so port \(options.port) cannot be opened there.",
                advice: "`ip addr` lists those it has.", cause: error)
        default: return IngestError(.unavailable, "\(place) cannot be listened on: \(error).", cause: error)
        }
    }

    /// Closes the port and every connection; what was being received can be gone on with later.
    package func stop() async {
        let (listener, guests, lines) = state.withLock { state in
            state.isStopped = true
            return (state.listener, Array(state.guests.values), Array(state.lines.values))
        }
        try? await listener?.close().get()
        for guest in guests { try? await guest.channel.close().get() }
        for line in lines { line.cut() }
    }

    /// A transfer that `stop` has to break off.
    func watch(_ line: DataLine) {
        let key = ObjectIdentifier(line.channel),
            isStopped = state.withLock { state in
                state.lines[key] = line
                return state.isStopped
            }
        line.channel.closeFuture.whenComplete { _ in self.state.withLock { _ = $0.lines.removeValue(forKey: key) } }
        if isStopped { line.cut() }
    }

    /// Who has logged in keeps the connection, whoever else comes.
    func know(_ channel: any Channel) { state.withLock { $0.guests[ObjectIdentifier(channel)]?.isKnown = true } }

    private func welcome(_ channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        if options.tls == .implicit, let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
        try pipeline.addHandler(IdleStateHandler(readTimeout: .milliseconds(Int64(options.idle.components.seconds) * 1000)))
        let lines = LineInbox(channel)
        try pipeline.addHandler(lines)
        let (isWelcome, other) = state.withLock { state -> (Bool, (any Channel)?) in
            guard !state.isStopped else { return (false, nil) }
            var other: Guest?
            if state.guests.count >= options.maxSessions {
                // Somebody who only holds the line must not keep cameras out.
                other = state.guests.values.filter { !$0.isKnown }.min { $0.number < $1.number }
                guard let other else { return (false, nil) }
                state.guests[ObjectIdentifier(other.channel)] = nil
            }
            state.counts.sessions += 1
            state.guests[ObjectIdentifier(channel)] = Guest(channel: channel, number: state.counts.sessions)
            return (true, other?.channel)
        }
        other?.close(promise: nil)
        guard isWelcome else {
            channel.writeAndFlush(ByteBuffer(string: "421 Too many connections.\r\n")).whenComplete { _ in channel.close(promise: nil) }
            return
        }
        channel.closeFuture.whenComplete { _ in self.state.withLock { _ = $0.guests.removeValue(forKey: ObjectIdentifier(channel)) } }
        let session = FTPSession(self, channel, lines)
        Task { await session.serve() }
    }

    private static func context(_ options: FTPOptions) throws(IngestError) -> NIOSSLContext {
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(options.certificate).map { NIOSSLCertificateSource.certificate($0) }
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain, privateKey: .privateKey(try NIOSSLPrivateKey(file: options.key, format: .pem)))
            configuration.minimumTLSVersion = .tlsv12
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw IngestError(
                .misconfigured, "The certificate `\(options.certificate)` or its key `\(options.key)` cannot be used: \(error).",
                advice:
                    "openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj /CN=filmgate -keyout key.pem -out cert.pem makes a pair.",
                cause: error)
        }
    }
}
