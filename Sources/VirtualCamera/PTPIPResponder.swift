public import PTPKit
import Synchronization

/// Serves a virtual camera over PTP/IP, to one initiator at a time.
public final class PTPIPResponder: Sendable {
    private struct State {
        var connection: UInt32 = 0, active: UInt32?, events: [UInt32: Socket] = [:]
        var refusals: [UInt32] = [], hangUps = 0
    }
    public let camera: VirtualCamera
    private let listener: TCPListener
    private let state = Mutex(State())
    /// GUIDs that may connect; nil lets everybody in.
    private let known: Set<[UInt8]>?

    public init(
        _ camera: VirtualCamera, address: String = "127.0.0.1", port: UInt16 = 0, known: Set<[UInt8]>? = nil
    ) throws(PTPError) {
        (self.camera, self.known) = (camera, known)
        listener = try TCPListener(address: address, port: port)
        listener.start { self.serve($0) }
    }

    public var port: UInt16 { listener.port }

    /// Ends the service.
    ///
    /// Safe to call twice.
    public func stop() { listener.stop() }

    /// Breaks every connection, as when the camera goes out of reach.
    ///
    /// New ones are taken.
    public func breakConnections() { listener.closeConnections() }

    /// The next greetings are refused with these reasons, one each.
    public func refuseNext(_ reasons: UInt32...) { state.withLock { $0.refusals += reasons } }

    /// So many of the next greetings are not answered: the connection is closed, as bodies do for a moment after
    /// another visitor.
    public func hangUpNext(_ count: Int) { state.withLock { $0.hangUps += count } }

    /// Pings the initiator on its event connection.
    public func ping() {
        for socket in state.withLock({ Array($0.events.values) }) {
            try? socket.write(IPPacket.bare(.ping), by: .after(.seconds(2)))
        }
    }

    private func serve(_ socket: Socket) {
        var reader = PacketReader(socket)
        guard let (kind, body) = try? reader.next(limit: .seconds(30)) else { return }
        switch kind {
        case .initCommandRequest: try? command(socket, &reader, body)
        case .initEventRequest: try? events(socket, &reader, body)
        default: try? socket.write(IPPacket.initFail(3), by: .after(.seconds(2)))
        }
    }

    private func command(_ socket: Socket, _ reader: inout PacketReader, _ body: [UInt8]) throws(PTPError) {
        let hangsUp = state.withLock { state in
            defer { state.hangUps = max(0, state.hangUps - 1) }
            return state.hangUps > 0
        }
        if hangsUp { return }
        let refusal = state.withLock { state -> UInt32? in
            if !state.refusals.isEmpty { return state.refusals.removeFirst() }
            if let known, !known.contains(Array(body.prefix(16))) { return 1 }
            if state.active != nil { return 2 }
            state.connection += 1
            state.active = state.connection
            return nil
        }
        if let refusal { return try socket.write(IPPacket.initFail(refusal), by: .after(.seconds(2))) }
        let connection = state.withLock(\.connection)
        defer { leave(connection) }
        let guid = [UInt8](repeating: 0xFC, count: 16)
        try socket.write(
            IPPacket.initCommandAck(connection: connection, guid: guid, name: camera.personality.greeting),
            by: .after(.seconds(2)))
        let sender = ReplySender(socket)
        while let request = try reader.request() {
            guard let reply = camera.respond(request) else { continue }
            if reply.fault == .goodbye { return }
            if reply.fault == .lostPong { ping() }
            guard try sender.send(reply, to: request), reply.fault != .lostPong else { return }
        }
    }

    private func leave(_ connection: UInt32) {
        let events = state.withLock { state in
            if state.active == connection { state.active = nil }
            return state.events.removeValue(forKey: connection)
        }
        events?.stop()
        camera.disconnected()
    }

    private func events(_ socket: Socket, _ reader: inout PacketReader, _ body: [UInt8]) throws(PTPError) {
        var cursor = ByteCursor()
        let connection: UInt32 = try cursor.take(from: body.span.bytes)
        let active = state.withLock { state in
            if state.active == connection { state.events[connection] = socket }
            return state.active == connection
        }
        guard active else { return try socket.write(IPPacket.initFail(1), by: .after(.seconds(2))) }
        try socket.write(IPPacket.bare(.initEventAck), by: .after(.seconds(2)))
        let listener = camera.listen { event in try? socket.write(IPPacket.event(event), by: .after(.seconds(2))) }
        defer { camera.unlisten(listener) }
        while let (kind, _) = try reader.next(limit: .seconds(3600)) {
            if kind == .ping { try socket.write(IPPacket.bare(.pong), by: .after(.seconds(2))) }
        }
    }
}
