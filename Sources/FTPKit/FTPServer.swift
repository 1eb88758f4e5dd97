package import FilmgateCore
import Glibc
package import Logging
import NIOCore
import NIOPosix
import NIOSSL
import ServerKit
import Synchronization

/// An FTP server that only takes: logins push files into an inbox, nobody reads or deletes anything.
package final class FTPServer: Sendable {
    /// What a client did.
    package enum Event: Sendable {
        /// Everything was sent and is durable. `abandoned` = the connection broke before the end; the client may go on
        /// later.
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
        package var inode: UInt64
    }
    private struct State {
        var listener: (any Channel)?, counts = FTPCounts(), isStopped = false
        var connections: FTPConnections<ObjectIdentifier>, channels: [ObjectIdentifier: any Channel] = [:]
        var lines: [ObjectIdentifier: DataConnection] = [:], refusals = RefusalLog()
        /// No transfer begins any more; those that go on may end.
        var isLeaving = false, transferring: Set<ObjectIdentifier> = []
    }

    let options: FTPServerOptions, logins: any FTPLoginDirectory, logger: Logger, tls: NIOSSLContext?
    /// Of logins that have no other.
    let destination: FTPDestination
    var inbox: FTPInbox { destination.inbox }
    let group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    let pool = BlockingPool(width: 4)
    let loginQueue = LoginQueue()
    private let state: Mutex<State>

    /// `tell` is called on any thread and must be quick; what is in the inbox is safe.
    ///
    /// `misconfigured` where the certificate cannot be used or there is no login.
    package convenience init(
        _ options: FTPServerOptions, logins: [FTPLogin], inbox: FTPInbox, logger: Logger,
        tell: @escaping @Sendable (Event) -> Void
    ) throws(IngestError) {
        guard !logins.isEmpty else { throw IngestError(.misconfigured, "An FTP server needs at least one login.") }
        try self.init(
            options, logins: FTPLoginList(logins), logger: logger,
            to: FTPDestination(inbox: inbox, tell: tell))
    }

    /// `logins` are asked each time; `destination` is for those that bring none.
    package init(
        _ options: FTPServerOptions, logins: any FTPLoginDirectory, logger: Logger, to destination: FTPDestination
    ) throws(IngestError) {
        (self.options, self.logins, self.logger, self.destination) = (options, logins, logger, destination)
        state = Mutex(State(connections: FTPConnections(most: options.maxSessions, mostUnknown: options.maxUnknown)))
        tls =
            try options.tls == .none
            ? nil : ServerCertificate(certificate: options.certificate, key: options.key).context()
    }

    /// A login as the name of a folder.
    package static func folderName(_ user: String) -> String {
        let name = SafeName.component(user)
        return name == FTPEventFolder.name ? "_" + name : name
    }

    package var counts: FTPCounts { state.withLock(\.counts) }
    package var port: Int { state.withLock { $0.listener?.localAddress?.port ?? options.port } }

    func count(_ change: (inout FTPCounts) -> Void) {
        let refusal = state.withLock { state in
            let before = state.counts
            change(&state.counts)
            return state.counts.refusal(since: before)
        }
        if let refusal { _ = destination.receiver().tell(.refused(refusal)) }
    }

    /// Listens.
    ///
    /// `unavailable` when the port is in use, `accessDenied` when it is not for ordinary users.
    package func start() async throws(IngestError) {
        let options = options
        let bootstrap = ServerBootstrap(group: group).serverChannelOption(.backlog, value: 64)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1).childChannelOption(
                .socketOption(.so_keepalive), value: 1
            )
            // ABOR comes with an urgent byte, which may be the end of its line.
            .childChannelOption(.socketOption(NIOBSDSocket.Option(rawValue: SO_OOBINLINE)), value: 1)
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

    private static func refusal(_ options: FTPServerOptions, _ code: CInt?, _ error: any Error) -> IngestError {
        let place = "\(options.host):\(options.port)"
        switch code {
        case EADDRINUSE:
            return IngestError(
                .unavailable, "Port \(options.port) at \(options.host) is in use by another program.",
                advice:
                    "That may be an FTP server of this computer, or another filmgate: `ss -ltnp 'sport = :\(options.port)'` names it. "
                    + "Stop it, or choose another port with `listen: \"\(options.host):PORT\"`.", cause: error)
        case EADDRNOTAVAIL:
            return IngestError(
                .unavailable,
                "This computer has no address \(options.host), so port \(options.port) cannot be opened there.",
                advice: "`ip addr` lists those it has.", cause: error)
        default: return IngestError(.unavailable, "\(place) cannot be listened on: \(error).", cause: error)
        }
    }

    /// Closes the port and every connection, those with a transfer once it ends, or after `grace`.
    ///
    /// What was being received then can be gone on with later.
    package func stop() async {
        await leave()
        let (channels, lines) = state.withLock { state in
            state.isStopped = true
            return (Array(state.channels.values), Array(state.lines.values))
        }
        for channel in channels { try? await channel.close().get() }
        loginQueue.close()
        for line in lines { line.cut() }
    }

    private func leave() async {
        let (listener, busy, idle) = state.withLock { state in
            state.isLeaving = true
            let busy = state.channels.filter { state.transferring.contains($0.key) }
            return (state.listener, Array(busy.values), state.channels.filter { busy[$0.key] == nil }.map(\.value))
        }
        try? await listener?.close().get()
        for channel in idle { channel.close(promise: nil) }
        let timer = group.any().scheduleTask(in: TimeAmount(options.grace)) {
            for channel in busy { channel.close(promise: nil) }
        }
        for channel in busy { try? await channel.closeFuture.get() }
        timer.cancel()
    }

    /// The server stops as soon as what goes on has ended.
    var isLeaving: Bool { state.withLock(\.isLeaving) }

    /// A client begins a transfer; false when the server is about to stop.
    func beginTransfer(_ channel: any Channel) -> Bool {
        state.withLock { state in
            if !state.isLeaving { state.transferring.insert(ObjectIdentifier(channel)) }
            return !state.isLeaving
        }
    }

    func endTransfer(_ channel: any Channel) {
        state.withLock { _ = $0.transferring.remove(ObjectIdentifier(channel)) }
    }

    /// A transfer that `stop` has to break off.
    func watch(_ line: DataConnection) {
        let key = ObjectIdentifier(line.channel)
        let isStopped = state.withLock { state in
            state.lines[key] = line
            return state.isStopped
        }
        line.channel.closeFuture.whenComplete { _ in self.state.withLock { _ = $0.lines.removeValue(forKey: key) } }
        if isStopped { line.cut() }
    }

    /// How far a client has come: where there is no room for all, who has come less far gives way.
    func note(_ channel: any Channel, _ standing: FTPConnections<ObjectIdentifier>.Standing) {
        state.withLock { $0.connections.note(ObjectIdentifier(channel), standing) }
    }

    /// A client's password is about to be looked at: where too many of one address wait for that, one of them goes.
    func noteWaiting(_ channel: any Channel, for login: String?) {
        let other = state.withLock { state in
            state.connections.wait(ObjectIdentifier(channel), login: login).flatMap {
                state.channels.removeValue(forKey: $0)
            }
        }
        if let other { Self.turnAway(other) }
    }

    private static func turnAway(_ channel: any Channel) {
        channel.writeAndFlush(ByteBuffer(string: "421 Too many connections.\r\n")).whenComplete { _ in
            channel.close(promise: nil)
        }
    }

    /// Something was refused: counted, and said a few times a minute for each address.
    ///
    /// `kind`: what two refusals have in common that are said once; absent: their words.
    func refuse(
        _ what: String, from peer: String, kind: String? = nil, _ change: (inout FTPCounts) -> Void = { _ in }
    ) {
        count(change)
        let line = state.withLock {
            $0.refusals.line(what, kind: kind ?? what, from: PeerAddress.network(peer), at: .now)
        }
        if let line { logger.warning("FTP: refused: \(line)") }
    }

    private func welcome(_ channel: any Channel) throws {
        let address = PeerAddress.text(channel.remoteAddress) ?? ""
        guard !options.balancers.isEmpty else { return try welcome(channel, from: address) }
        guard options.balancers.contains(where: { $0.contains(address) }) else {
            refuse("a connection from \(address), which is no balancer", from: address) { $0.foreignData += 1 }
            return channel.close(promise: nil)
        }
        let header = ProxyReceiver {
            self.refuse("a connection from the balancer \(address) without a PROXY header", from: address) {
                $0.foreignData += 1
            }
        } accept: { client in
            try self.welcome(channel, from: client ?? address)
        }
        try channel.pipeline.syncOperations.addHandler(header)
    }

    private func welcome(_ channel: any Channel, from peer: String) throws {
        let pipeline = channel.pipeline.syncOperations, key = ObjectIdentifier(channel)
        try pipeline.addHandler(FirstBytes { self.note(channel, .speaking) })
        if options.tls == .implicit, let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
        let lines = CommandReceiver(channel)
        try pipeline.addHandler(lines)
        let (verdict, other) = state.withLock { state -> (FTPConnections<ObjectIdentifier>.Verdict, (any Channel)?) in
            guard !state.isStopped else { return (.refused, nil) }
            state.counts.sessions += 1
            let verdict = state.connections.admit(key, from: PeerAddress.network(peer))
            if verdict != .refused { state.channels[key] = channel }
            guard case .welcomeInsteadOf(let victim) = verdict else { return (verdict, nil) }
            return (verdict, state.channels.removeValue(forKey: victim))
        }
        other?.close(promise: nil)
        guard verdict != .refused else {
            refuse("a connection from \(peer): too many at once", from: peer)
            return Self.turnAway(channel)
        }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { state in
                state.connections.leave(key)
                state.channels[key] = nil
            }
        }
        let session = FTPSession(self, channel, lines, from: peer)
        Task { await session.serve() }
    }
}
