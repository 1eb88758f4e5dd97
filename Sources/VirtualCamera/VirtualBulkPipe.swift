public import PTPKit
import Synchronization

/// A virtual camera behind USB-like pipes, in memory: transfers, packet sizes, stalls and all.
public final class VirtualBulkPipe: BulkPipe {
    /// What bodies are known to do on the bus.
    public struct BusQuirks: Sendable {
        public var packetSize = 512
        /// Headers travel in transfers of their own.
        public var splitsHeaders = false
        /// One odd byte in place of a zero-length packet.
        public var oddByte = false
        /// No zero-length packet behind data that ends with a full one.
        public var omitsEmptyPacket = false
        /// The response rides in the last transfer of the data.
        public var joinsResponse = false
        /// Data containers do not say how long they are.
        public var hidesLength = false
        /// As many stalls come before the next transfer.
        public var stalls = 0
        /// Events arrive in pieces of this many bytes.
        public var eventPacket = 64
        public init() {}
    }
    private struct State { var events: [[UInt8]] = [], gone = false, listener: UInt64? }

    public let address: String
    public var packetSize: Int { busQuirks.packetSize }
    public let stop: @Sendable () -> Void
    private let camera: VirtualCamera
    private var busQuirks: BusQuirks
    private let state: Shared
    private var transfers: [[UInt8]] = []
    /// What comes only with the next answer.
    private var late: [[UInt8]] = []
    private var command: (operation: Operation, transaction: UInt32)?
    private var header: BulkHeader?

    private final class Shared: Sendable { let lock = Mutex(State()) }

    public init(_ camera: VirtualCamera, busQuirks: BusQuirks = BusQuirks(), address: String = "virtual:1") {
        (self.camera, self.busQuirks, self.address) = (camera, busQuirks, address)
        let shared = Shared()
        state = shared
        stop = { shared.lock.withLock { $0.gone = true } }
        let packet = busQuirks.eventPacket
        let listener = camera.listen { event in
            let bytes = BulkContainer.event(event)
            let pieces = stride(from: 0, to: bytes.count, by: packet).map {
                Array(bytes[$0..<min($0 + packet, bytes.count)])
            }
            shared.lock.withLock { $0.events += pieces }
        }
        shared.lock.withLock { $0.listener = listener }
    }

    public func write(_ bytes: [UInt8], timeout: Duration) throws(PipeError) {
        try present()
        if bytes.isEmpty { return }
        if let pending = command {
            if let header, header.kind == .data { return answer(pending, bytes) }
            header = try? BulkHeader(bytes.span.bytes)
            if bytes.count > BulkHeader.size { answer(pending, Array(bytes.dropFirst(BulkHeader.size))) }
            return
        }
        guard let header = try? BulkHeader(bytes.span.bytes), header.kind == .command,
            let parameters = try? BulkContainer.parameters(of: header, in: bytes.span.bytes)
        else { throw .stalled }
        let operation = Operation(OperationCode(header.code), parameters)
        if takesData(operation.code) {
            command = (operation, header.transaction)
        } else {
            answer((operation, header.transaction), [])
        }
    }

    /// Operations whose data goes to the camera cannot be told from the command alone.
    private func takesData(_ code: OperationCode) -> Bool {
        [0x1016, 0x9804, 0x9205, 0x9207, 0x9110, 0x100C, 0x100D, 0x940B, 0x9403].contains(code.rawValue)
    }

    private func answer(_ command: (operation: Operation, transaction: UInt32), _ data: [UInt8]) {
        (self.command, header) = (nil, nil)
        transfers += late
        late = []
        let request = VirtualRequest(command.operation, transaction: command.transaction, data: data)
        guard let reply = camera.respond(request) else { return }
        var response = Response(reply.answer.code, transaction: request.transaction, reply.answer.parameters)
        if case .wrongTransaction(let shift) = reply.fault {
            response.transaction = response.transaction &+ UInt32(bitPattern: shift)
        }
        if case .stale(let count) = reply.fault {
            for _ in 0..<count { queue(BulkContainer.response(Response(.ok, transaction: request.transaction &- 1))) }
        }
        if case .flood(let count) = reply.fault {
            for _ in 0..<count {
                queue(BulkContainer.data(request.operation.code, transaction: request.transaction, []))
            }
        }
        let tail = BulkContainer.response(response)
        if let payload = reply.answer.payload, reply.fault != .noData {
            let joined = self.data(payload, request, reply.fault)
            if busQuirks.joinsResponse, !transfers.isEmpty { return transfers[transfers.count - 1] += tail }
            if !joined { return state.lock.withLock { $0.gone = true } }
        }
        if !late.isEmpty { return late.append(tail) }
        if reply.fault != .noResponse { queue(tail) }
    }

    /// Queues a data phase; false when the device vanishes in the middle of it.
    private func data(_ payload: Answer.Payload, _ request: VirtualRequest, _ fault: Fault.Kind?) -> Bool {
        var bytes = payload.slice(at: 0, count: Int(payload.count))
        var length = UInt32(clamping: bytes.count + BulkHeader.size)
        if busQuirks.hidesLength { length = BulkHeader.unknownLength }
        if case .announce(let total) = fault { length = UInt32(clamping: total) }
        if case .short(let by) = fault { bytes.removeLast(min(bytes.count, Int(by))) }
        if case .long(let by) = fault { bytes += [UInt8](repeating: 0xEE, count: Int(by)) }
        var writer = ByteWriter(capacity: bytes.count + BulkHeader.size)
        BulkHeader(length: length, kind: .data, code: request.operation.code.rawValue, transaction: request.transaction)
            .write(to: &writer)
        if busQuirks.splitsHeaders {
            queue(writer.bytes)
            if !bytes.isEmpty { queue(bytes) }
        } else {
            queue(writer.bytes + bytes)
        }
        if case .drop(let after) = fault {
            transfers[transfers.count - 1] = Array(transfers[transfers.count - 1].prefix(Int(after)))
            return false
        }
        if case .halt(let after) = fault, let whole = transfers.popLast() {
            transfers.append(Array(whole.prefix(Int(after))))
            late = [Array(whole.dropFirst(Int(after)))]
        }
        return true
    }

    /// One transfer; a full last packet is followed by an empty one, or by what this body sends instead.
    private func queue(_ bytes: [UInt8]) {
        var bytes = bytes
        let full = bytes.count % packetSize == 0
        if full, busQuirks.oddByte { bytes.append(0) }
        transfers.append(bytes)
        if full, !busQuirks.oddByte, !busQuirks.omitsEmptyPacket { transfers.append([]) }
    }

    public func read(into buffer: UnsafeMutableRawBufferPointer, timeout: Duration) throws(PipeError) -> Int {
        if busQuirks.stalls > 0 {
            busQuirks.stalls -= 1
            throw .stalled
        }
        guard !transfers.isEmpty else {
            try present()
            throw .timedOut
        }
        let next = transfers[0]
        guard next.count > buffer.count else {
            transfers.removeFirst()
            buffer.copyBytes(from: next)
            // The host sees data and the empty packet behind it as one transfer, unless the data filled its buffer.
            if next.count < buffer.count, !next.isEmpty, transfers.first?.isEmpty == true { transfers.removeFirst() }
            return next.count
        }
        buffer.copyBytes(from: next[..<buffer.count])
        transfers[0] = Array(next[buffer.count...])
        return buffer.count
    }

    public func readEvent(timeout: Duration) throws(PipeError) -> [UInt8]? {
        try present()
        return state.lock.withLock { $0.events.isEmpty ? nil : $0.events.removeFirst() }
    }

    public func clearHalt(_ direction: BulkDirection) throws(PipeError) { try present() }

    public func control(
        _ request: BulkControl, sending data: [UInt8], expecting: Int, timeout: Duration
    ) throws(PipeError) -> [UInt8] {
        try present()
        if request == .deviceReset {
            transfers = []
            camera.disconnected()
        }
        if request == .cancel, let last = camera.log.last {
            late = []
            transfers = [BulkContainer.response(Response(.transactionCancelled, transaction: last.transaction))]
        }
        return request == .deviceStatus ? [4, 0, 0x01, 0x20] : []
    }

    public func close() {
        if let listener = state.lock.withLock({ $0.listener }) { camera.unlisten(listener) }
        stop()
    }

    private func present() throws(PipeError) { if state.lock.withLock({ $0.gone }) { throw .gone } }
}
