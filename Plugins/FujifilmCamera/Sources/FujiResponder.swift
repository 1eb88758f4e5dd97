import PTPKit
import Synchronization
import VirtualCamera

/// Serves a virtual camera in the app's dialect: commands on one port, and from the start of a capture two more that
/// stay silent.
final class FujiResponder: CameraServer {
    private let camera: VirtualCamera
    private let listener: TCPListener
    private let address: String
    private let others = Mutex<[TCPListener]>([])

    init(_ camera: VirtualCamera, address: String, port: UInt16) throws(PTPError) {
        (self.camera, self.address) = (camera, address)
        listener = try TCPListener(address: address, port: port)
        listener.start { self.serve($0) }
    }

    var port: UInt16 { listener.port }

    func stop() {
        listener.stop()
        for listener in others.withLock({ $0 }) { listener.stop() }
    }

    func breakConnections() {
        listener.closeConnections()
        for listener in others.withLock({ $0 }) { listener.closeConnections() }
    }

    private func serve(_ socket: Socket) {
        var reader = FujiReader(socket)
        let sender = FujiSender(socket)
        defer { camera.disconnected() }
        do throws(PTPError) {
            while let item = try reader.next() {
                switch item {
                // Some initiators greet twice, and wait for an answer each time.
                case .greeting:
                    let guid = [UInt8](repeating: 0xFB, count: 16)
                    try socket.write(
                        FujiHandshake.answer(model: camera.personality.greeting, guid: guid), by: .after(.seconds(2)))
                case .goodbye: return
                case .request(let request):
                    if request.operation.code == .initiateOpenCapture { openOthers() }
                    guard let reply = camera.respond(request) else { continue }
                    guard try sender.send(reply, to: request) else { return }
                }
            }
        } catch { return }
    }

    /// The ports of events and live view, next to the first one as on real bodies.
    private func openOthers() {
        let first = listener.port
        others.withLock { others in
            guard others.isEmpty else { return }
            for port in [first &+ 1, first &+ 2] {
                guard let listener = try? TCPListener(address: address, port: port) else { continue }
                listener.start { socket in
                    var buffer = StreamBuffer(capacity: 64)
                    while (try? buffer.fill(1, from: socket, by: .after(.seconds(3600)))) != nil { buffer.drop(1) }
                }
                others.append(listener)
            }
        }
    }
}

/// Reads an initiator's packets.
private struct FujiReader: ~Copyable {
    enum Item { case greeting, goodbye, request(VirtualRequest) }
    private let socket: Socket
    private var buffer = StreamBuffer(capacity: 1 << 16)

    init(_ socket: Socket) { self.socket = socket }

    mutating func next() throws(PTPError) -> Item? {
        do throws(PTPError) { try buffer.fill(8, from: socket, by: .after(.seconds(3600))) } catch {
            if case .gone = error { return nil }
            throw error
        }
        let head = try buffer.peek(8) { bytes throws(PTPError) in bytes.copied }
        if head == FujiHandshake.goodbye { return .goodbye }
        if Array(head) == [82, 0, 0, 0, 1, 0, 0, 0] {
            try buffer.fill(FujiHandshake.requestSize, from: socket, by: .after(.seconds(5)))
            buffer.drop(FujiHandshake.requestSize)
            return .greeting
        }
        let (header, body) = try container()
        guard header.kind == .command else { throw .malformed("no command") }
        var cursor = ByteCursor(), parameters: [UInt32] = []
        while cursor.remaining(in: body.span.bytes) >= 4 { parameters.append(try cursor.take(from: body.span.bytes)) }
        let operation = Operation(OperationCode(header.code), parameters)
        let data = operation.code == .setDevicePropValue ? try container().body : []
        return .request(VirtualRequest(operation, transaction: header.transaction, data: data))
    }

    private mutating func container() throws(PTPError) -> (header: BulkHeader, body: [UInt8]) {
        let deadline = Deadline.after(.seconds(10))
        try buffer.fill(BulkHeader.size, from: socket, by: deadline)
        let header = try buffer.peek(BulkHeader.size) { bytes throws(PTPError) in try BulkHeader(bytes) }
        guard header.length <= 1 << 16 else { throw .malformed("a packet of \(header.length) bytes") }
        try buffer.fill(Int(header.length), from: socket, by: deadline)
        defer { buffer.drop(Int(header.length)) }
        let body = try buffer.peek(Int(header.length)) { bytes throws(PTPError) in
            bytes.extracting(BulkHeader.size..<Int(header.length)).copied
        }
        return (header, body)
    }
}
