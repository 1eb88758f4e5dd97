import PTPKit
import VirtualCamera

/// Writes answers in the app's dialect, spoiled as asked.
struct FujiSender {
    private let socket: Socket

    init(_ socket: Socket) { self.socket = socket }

    /// False when the connection is to be closed now.
    func send(_ reply: VirtualCamera.Reply, to request: VirtualRequest) throws(PTPError) -> Bool {
        let (fault, id) = (reply.fault, request.transaction)
        if case .goodbye = fault {
            try write(FujiHandshake.goodbye)
            return false
        }
        if case .stale(let count) = fault {
            for _ in 0..<count { try write(BulkContainer.response(Response(.ok, transaction: id &- 1))) }
        }
        if case .noise = fault {
            try write(FujiHandshake.answer(model: "again", guid: [UInt8](repeating: 1, count: 16)))
        }
        if let payload = reply.answer.payload, fault != .noData {
            guard try data(payload, request, fault) else { return false }
        }
        if fault == .noResponse || fault == .endless { return true }
        var response = Response(reply.answer.code, transaction: id, reply.answer.parameters)
        if case .refuseAfterData(let code) = fault { response.code = code }
        if case .wrongTransaction(let shift) = fault { response.transaction = id &+ UInt32(bitPattern: shift) }
        if case .crowded = fault { response.parameters = [UInt32](repeating: 7, count: 9) }
        try write(BulkContainer.response(response))
        return true
    }

    private func data(_ payload: Answer.Payload, _ request: VirtualRequest, _ fault: Fault.Kind?) throws(PTPError)
        -> Bool
    {
        var bytes = payload.slice(at: 0, count: Int(payload.count))
        var length = UInt32(clamping: bytes.count + BulkHeader.size)
        if case .announce(let total) = fault { length = UInt32(clamping: total) }
        if case .short(let by) = fault {
            bytes.removeLast(min(bytes.count, Int(by)))
            length = UInt32(clamping: bytes.count + BulkHeader.size)
        }
        if case .long(let by) = fault {
            bytes += [UInt8](repeating: 0xEE, count: Int(by))
            length = UInt32(clamping: bytes.count + BulkHeader.size)
        }
        var writer = ByteWriter(capacity: bytes.count + BulkHeader.size)
        BulkHeader(length: length, kind: .data, code: request.operation.code.rawValue, transaction: request.transaction)
            .write(to: &writer)
        if case .drop(let after) = fault {
            try write(writer.bytes + bytes.prefix(Int(clamping: after)))
            return false
        }
        try write(writer.bytes + bytes)
        return true
    }

    private func write(_ bytes: [UInt8]) throws(PTPError) { try socket.write(bytes, by: .after(.seconds(30))) }
}
