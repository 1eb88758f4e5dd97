import FilmgateCore
import NIOCore
import NIOPosix
import NIOSSL
import ServerKit
import Synchronization

/// The way to one transfer's data connection: a port that waits (PASV, EPSV), or an address to call (PORT, EPRT).
///
/// Only the client of the control connection gets through.
final class DataEndpoint: Sendable {
    private enum Way: Sendable { case listening(any Channel), calling(SocketAddress) }
    private let way: Way
    private let arrived: EventLoopPromise<DataConnection>
    private let isTaken: Mutex<Bool>
    let port: Int

    private init(_ way: Way, port: Int, arrived: EventLoopPromise<DataConnection>) {
        (self.way, self.port, self.arrived) = (way, port, arrived)
        isTaken = Mutex(false)
    }

    struct Setup: Sendable {
        /// The client's address, as `PeerAddress` writes it.
        var peer: String, tls: NIOSSLContext?, group: any EventLoopGroup, patience: Duration
        /// Clients may also come through these, which then say who they are.
        var balancers: [PeerRange] = []
        var foreign: @Sendable () -> Void
    }

    /// Waits on the first free port of the range, at the address that the client reached.
    static func listening(at address: SocketAddress, _ ports: ClosedRange<Int>?, _ setup: Setup) async throws
        -> DataEndpoint
    {
        let promise = setup.group.next().makePromise(of: DataConnection.self)
        let bootstrap = ServerBootstrap(group: setup.group).serverChannelOption(.backlog, value: 4)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1).childChannelOption(.autoRead, value: false)
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 128 << 10))
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try Self.admit(channel, setup) { promise.succeed($0) } }
            }
        let start = ports.map { Int.random(in: $0) } ?? 0
        for step in 0..<(ports?.count ?? 1) {
            let port = ports.map { $0.lowerBound + (start - $0.lowerBound + step) % $0.count } ?? 0
            var place = address
            place.port = port
            guard let listener = try? await bootstrap.bind(to: place).get() else { continue }
            return DataEndpoint(.listening(listener), port: listener.localAddress?.port ?? port, arrived: promise)
        }
        promise.fail(IngestError(.unavailable, "No passive port is free."))
        throw IngestError(.unavailable, "No passive port is free.")
    }

    /// Lets the client in, by itself or through a balancer.
    private static func admit(
        _ channel: any Channel, _ setup: Setup, _ isUp: @escaping @Sendable (DataConnection) -> Void
    ) throws {
        let address = PeerAddress.text(channel.remoteAddress) ?? ""
        let enter = { @Sendable (client: String?) throws -> Void in
            guard client == setup.peer else {
                setup.foreign()
                throw IngestError(.accessDenied, "A data connection from another machine was refused.")
            }
            try Self.prepare(channel, setup.tls, isUp)
        }
        guard setup.balancers.contains(where: { $0.contains(address) }) else { return try enter(address) }
        try channel.pipeline.syncOperations.addHandler(ProxyReceiver(refuse: setup.foreign, accept: enter))
    }

    /// Calls back; only to the client itself, and to no port that belongs to a service.
    static func calling(_ host: String, _ port: Int, _ setup: Setup) throws -> DataEndpoint {
        let address = try PeerAddress.place(host, port: port)
        guard PeerAddress.text(address) == setup.peer, port >= 1024 else {
            setup.foreign()
            throw IngestError(.accessDenied, "A client asked for a connection to another machine.")
        }
        return DataEndpoint(
            .calling(address), port: port, arrived: setup.group.next().makePromise(of: DataConnection.self))
    }

    /// The connection, within the setup's patience.
    func connect(_ setup: Setup) async throws -> DataConnection {
        switch way {
        case .calling(let address):
            arrived.fail(CancellationError())
            isTaken.withLock { $0 = true }
            let made = setup.group.next().makePromise(of: DataConnection.self)
            let connecting = ClientBootstrap(group: setup.group).connectTimeout(.seconds(15))
                .channelOption(.autoRead, value: false)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture { try Self.prepare(channel, setup.tls) { made.succeed($0) } }
                }
                .connect(to: address)
            connecting.whenFailure { made.fail($0) }
            _ = try await connecting.get()
            return try await made.futureResult.get()
        case .listening(let listener):
            let arrived = arrived
            let alarm = listener.eventLoop.scheduleTask(in: TimeAmount(setup.patience)) {
                arrived.fail(IngestError(.network, "No data connection came."))
            }
            let result = await Result { () async throws(IngestError) -> DataConnection in
                do { return try await arrived.futureResult.get() } catch {
                    throw IngestError(.network, "No data connection came.", cause: error)
                }
            }
            alarm.cancel()
            listener.close(promise: nil)
            isTaken.withLock { $0 = true }
            return try result.get()
        }
    }

    /// Not needed any more; a connection that nobody took yet is broken off, not ended: what came over it is not the
    /// whole file.
    func close() {
        guard !isTaken.withLock({ $0 }) else { return }
        if case .listening(let listener) = way { listener.close(promise: nil) }
        arrived.futureResult.whenSuccess { $0.cut() }
        arrived.fail(CancellationError())
    }

    /// `isUp` is called once the connection stands: before that, whoever closes the listener closes it as well.
    private static func prepare(
        _ channel: any Channel, _ tls: NIOSSLContext?, _ isUp: @escaping @Sendable (DataConnection) -> Void
    ) throws {
        let pipeline = channel.pipeline.syncOperations
        if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
        try pipeline.addHandler(IdleStateHandler(readTimeout: .seconds(60)))
        try pipeline.addHandler(DataReceiver(channel, isProtected: tls != nil, isUp: isUp))
    }
}

/// A data connection and what comes over it.
///
/// The inbox is kept beside the channel: a client that sends little has closed, and its channel let go of all handlers,
/// before anybody asks for the first byte.
struct DataConnection: Sendable {
    let channel: any Channel, inbox: DataReceiver

    /// Breaks the transfer off: what came so far is not all of it.
    func cut() { channel.eventLoop.execute { inbox.cut() } }
}
