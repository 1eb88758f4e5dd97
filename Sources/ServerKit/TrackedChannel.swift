import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// HTTP/1 connections of which none is dropped unfinished when the server ends.
///
/// NIO ends the whole process when an accepted connection is released before anybody took it up, which is what happens to those still
/// queued when a server's task is cancelled. Here each is kept from its set-up until it is taken up or, at the end, closed in order.
struct TrackedChannel: ServerChildChannel {
    private let http: HTTP1Channel, waiting: WaitingConnections

    init(
        _ responder: @escaping HTTPChannelHandler.Responder, _ configuration: HTTP1Channel.Configuration, waiting: WaitingConnections
    ) {
        http = HTTP1Channel(responder: responder, configuration: configuration)
        self.waiting = waiting
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        http.setup(channel: channel, logger: logger).map { connection in
            waiting.add(connection)
            return connection
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        waiting.remove(value)
        await http.handle(value: value, logger: logger)
    }
}

/// The connections that were set up and that nobody has taken up yet.
final class WaitingConnections: Sendable {
    private struct State {
        var connections: [ObjectIdentifier: HTTP1Channel.Value] = [:], ended = false
    }
    private let state = Mutex(State())

    /// Keeps it; once `end` was called it is closed instead.
    func add(_ connection: HTTP1Channel.Value) {
        let late = state.withLock { state in
            if !state.ended { state.connections[ObjectIdentifier(connection.channel)] = connection }
            return state.ended
        }
        if late { Task { await Self.close(connection) } }
    }

    func remove(_ connection: HTTP1Channel.Value) {
        _ = state.withLock { $0.connections.removeValue(forKey: ObjectIdentifier(connection.channel)) }
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

    private static func close(_ connection: HTTP1Channel.Value) async {
        try? await connection.executeThenClose { _, _ in }
    }
}
