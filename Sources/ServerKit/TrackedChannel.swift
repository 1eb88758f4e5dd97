import HummingbirdCore
import Logging
import NIOCore
import NIOSSL
import Synchronization

/// Connections of which none is dropped unfinished when the server ends.
///
/// NIO ends the whole process when an accepted connection is released before anybody took it up, which is what happens
/// to those still queued when a server's task is cancelled. Here each is kept from its set-up until it is taken up or,
/// at the end, closed in order.
struct TrackedChannel<Base: ServerChildChannel>: ServerChildChannel {
    private let base: Base, waiting: WaitingConnections, shares: ConnectionShares?

    init(_ base: Base, waiting: WaitingConnections, shares: ConnectionShares? = nil) {
        (self.base, self.waiting, self.shares) = (base, waiting, shares)
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        base.setup(channel: channel, logger: logger).flatMapThrowing { [base, waiting] connection in
            let pipeline = channel.pipeline.syncOperations
            if let tls = try? pipeline.handler(type: NIOSSLServerHandler.self) {
                try pipeline.addHandler(HandshakeDeadline(), position: .after(tls))
            }
            waiting.add(channel) { await base.handle(value: connection, logger: logger) }
            return connection
        }
    }

    func handle(value: Base.Value, logger: Logger) async {
        waiting.remove(value.channel)
        guard let shares, let address = ConnectionShares.counted(value.channel.remoteAddress?.ipAddress) else {
            return await base.handle(value: value, logger: logger)
        }
        let isTaken = shares.take(address)
        // Taken up closed, it ends at once.
        if !isTaken { try? await value.channel.close(mode: .all) }
        await base.handle(value: value, logger: logger)
        if isTaken { shares.giveBack(address) }
    }
}

/// The connections that were set up and that nobody has taken up yet.
final class WaitingConnections: Sendable {
    /// Takes up a connection that is closed already, which ends at once and leaves nothing behind.
    private struct Waiting: Sendable { var channel: any Channel, end: @Sendable () async -> Void }
    private struct State {
        var connections: [ObjectIdentifier: Waiting] = [:], ended = false
    }
    private let state = Mutex(State())

    /// Keeps it; once `end` was called it is closed instead.
    func add(_ channel: any Channel, _ end: @escaping @Sendable () async -> Void) {
        let one = Waiting(channel: channel, end: end)
        let late = state.withLock { state in
            if !state.ended { state.connections[ObjectIdentifier(channel)] = one }
            return state.ended
        }
        if late { Task { await Self.close(one) } }
    }

    func remove(_ channel: any Channel) {
        _ = state.withLock { $0.connections.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    /// Closes whatever was never taken up, now and later; for when the server has ended.
    func end() async {
        let left = state.withLock { state in
            state.ended = true
            defer { state.connections = [:] }
            return state.connections
        }
        for connection in left.values { await Self.close(connection) }
    }

    private static func close(_ connection: Waiting) async {
        try? await connection.channel.close(mode: .all)
        await connection.end()
    }
}
