/// PTP over USB pipes: containers in transfers (PIMA 15740 annex D), with what bodies are known to do differently.
public final class BulkLink: CameraLink {
    public let eventQueue = EventQueue()
    public var address: String { pipe.address }
    public var stop: @Sendable () -> Void { pipe.stop }
    private let pipe: any BulkPipe
    private var inbox: BulkParser
    private var events = InterruptAssembler()
    /// The body sends headers in transfers of their own, and wants ours the same way.
    private var splitsHeaders = false
    private var closed = false

    public init(_ pipe: any BulkPipe) {
        self.pipe = pipe
        inbox = BulkParser(capacity: max(1, (512 << 10) / max(1, pipe.packetSize)) * max(1, pipe.packetSize))
    }

    deinit { close() }

    public func send(
        _ operation: Operation, transaction: UInt32, phase: DataPhase, data: [UInt8], by deadline: Deadline
    ) throws(PTPError) {
        inbox.forget()
        try write(BulkContainer.command(operation, transaction: transaction), by: deadline)
        guard phase == .send else { return }
        let container = BulkContainer.data(operation.code, transaction: transaction, data)
        if splitsHeaders {
            try write(Array(container.prefix(BulkHeader.size)), by: deadline)
            if !data.isEmpty { try write(data, by: deadline) }
        } else {
            try write(container, by: deadline)
        }
    }

    private func write(_ bytes: [UInt8], by deadline: Deadline) throws(PTPError) {
        do throws(PipeError) { try pipe.write(bytes, timeout: deadline.left) } catch .stalled {
            do throws(PipeError) {
                try pipe.clearHalt(.send)
                try pipe.write(bytes, timeout: deadline.left)
            } catch { throw error.explained("sending") }
        } catch { throw error.explained("sending") }
        guard bytes.count % max(1, pipe.packetSize) == 0 else { return }
        do throws(PipeError) { try pipe.write([], timeout: deadline.left) } catch { throw error.explained("sending") }
    }

    public func next(by deadline: Deadline) throws(PTPError) -> Inbound {
        for _ in 0..<64 {
            if let inbound = try inbox.next() {
                if case .event(let event) = inbound {
                    eventQueue.post(event)
                } else if let ours = inbound.inbound {
                    return ours
                }
                continue
            }
            try receive(by: deadline)
        }
        throw .malformed("64 transfers in a row that belong to nothing")
    }

    private func receive(by deadline: Deadline) throws(PTPError) {
        do throws(PipeError) { try read(timeout: deadline.left) } catch .stalled {
            do throws(PipeError) {
                try pipe.clearHalt(.receive)
                try read(timeout: deadline.left)
            } catch { throw error.explained("receiving") }
        } catch { throw error.explained("receiving") }
        if inbox.sawBareHeader { splitsHeaders = true }
    }

    private func read(timeout: Duration) throws(PipeError) {
        try inbox.receive(packetSize: pipe.packetSize) { buffer throws(PipeError) in
            try pipe.read(into: buffer, timeout: timeout)
        }
    }

    public func payload<R>(_ body: (RawSpan) throws(PTPError) -> R) throws(PTPError) -> R { try inbox.payload(body) }

    public func cancel(transaction: UInt32, by deadline: Deadline) throws(PTPError) {
        var writer = ByteWriter()
        writer.put(UInt16(0x4001))
        writer.put(transaction)
        do throws(PipeError) {
            _ = try pipe.control(.cancel, sending: writer.bytes, expecting: 0, timeout: deadline.left)
        } catch { throw error.explained("cancelling") }
    }

    public func pollEvents(by deadline: Deadline) throws(PTPError) {
        for _ in 0..<64 {
            let piece: [UInt8]?
            do throws(PipeError) { piece = try pipe.readEvent(timeout: deadline.left) } catch {
                throw error.explained("waiting for events")
            }
            guard let piece else { return }
            for event in events.take(piece) { eventQueue.post(event) }
            if deadline.hasPassed { return }
        }
    }

    public func reset() throws(PTPError) -> Bool {
        do throws(PipeError) {
            _ = try pipe.control(.deviceReset, sending: [], expecting: 0, timeout: .seconds(5))
            try pipe.clearHalt(.receive)
            try pipe.clearHalt(.send)
        } catch { throw error.explained("resetting") }
        inbox.forget()
        return true
    }

    public func close() {
        guard !closed else { return }
        closed = true
        pipe.close()
        eventQueue.end(.gone("the device was closed"))
    }
}
