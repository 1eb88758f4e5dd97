/// Cuts the transfers of a bulk-in pipe into what they mean.
///
/// Holds no device: bytes in, meaning out.
struct BulkParser: ~Copyable {
    enum Item {
        case event(PTPEvent)
        case ours(Inbound)
        var inbound: Inbound? { if case .ours(let inbound) = self { inbound } else { nil } }
    }
    /// A data phase that is coming in; `left` is nil where its length is unknown.
    private struct Phase { var transaction: UInt32, left: UInt64?, begun = false }

    private let storage: UnsafeMutableRawBufferPointer
    private var head = 0, tail = 0
    /// The last transfer ended with a short packet.
    private var short = false
    private var fresh = false
    private var phase: Phase?
    private var shown = 0
    private var empties = 0
    /// The data before ended with a full packet: an empty transfer, or an odd byte, may follow.
    private var mayTrail = false
    private(set) var sawBareHeader = false

    init(capacity: Int) { storage = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 4096) }
    deinit { storage.deallocate() }

    /// Drops what is left of an earlier transaction.
    mutating func forget() { (head, tail, phase, shown, fresh, empties, mayTrail) = (0, 0, nil, 0, false, 0, false) }

    /// Takes one transfer.
    ///
    /// Only called when nothing is left in the buffer.
    mutating func receive(
        packetSize: Int, _ read: (UnsafeMutableRawBufferPointer) throws(PipeError) -> Int
    ) throws(PipeError) {
        let count = try read(storage)
        (head, tail, shown, fresh) = (0, min(count, storage.count), 0, true)
        short = count < storage.count
    }

    func payload<R>(_ body: (RawSpan) throws(PTPError) -> R) throws(PTPError) -> R {
        try body(UnsafeRawBufferPointer(rebasing: storage[head - shown..<head]).bytes)
    }

    /// What the buffer holds next; nil when a transfer must be read first.
    mutating func next() throws(PTPError) -> Item? {
        if phase != nil { return try dataPhase() }
        guard fresh || head < tail else { return nil }
        fresh = false
        if head == tail || (mayTrail && tail - head < BulkHeader.size) {
            // The zero-length packet that ended the transfer before, or the odd byte that some bodies send in its
            // place.
            (empties, head) = (empties + 1, tail)
            guard empties <= 2 else { throw .malformed("only empty transfers") }
            return nil
        }
        return try container()
    }

    private mutating func container() throws(PTPError) -> Item {
        let bytes = UnsafeRawBufferPointer(rebasing: storage[head..<tail]).bytes
        let header = try BulkHeader(bytes)
        switch header.kind {
        case .data:
            head += BulkHeader.size
            sawBareHeader = sawBareHeader || (head == tail && header.length > BulkHeader.size)
            phase = Phase(transaction: header.transaction, left: header.payload)
            if head == tail { short = false }
            return .ours(
                .dataBegins(transaction: header.transaction, code: OperationCode(header.code), total: header.payload))
        case .response:
            let parameters = try BulkContainer.parameters(of: header, in: bytes)
            finish(Int(header.length))
            return .ours(.response(Response(ResponseCode(header.code), transaction: header.transaction, parameters)))
        case .event:
            let parameters = try BulkContainer.parameters(of: header, in: bytes)
            finish(Int(header.length))
            return .event(PTPEvent(EventCode(header.code), transaction: header.transaction, parameters))
        case .command: throw .malformed("a command from the camera")
        }
    }

    /// Behind a container there is nothing, except the odd byte that some bodies send in place of a zero-length packet.
    private mutating func finish(_ size: Int) {
        head = min(tail, head + size)
        if tail - head < BulkHeader.size { head = tail }
        (empties, fresh, mayTrail) = (0, false, false)
    }

    private mutating func dataPhase() throws(PTPError) -> Item? {
        guard var current = phase else { return nil }
        if isResponse(insteadOf: current) {
            phase = nil
            return .ours(.dataEnds(transaction: current.transaction))
        }
        let have = tail - head
        let count = current.left.map { Int(min(UInt64(have), $0)) } ?? have
        if count > 0 {
            head += count
            shown = count
            current.left = current.left.map { $0 - UInt64(count) }
            current.begun = true
            phase = current
            fresh = false
            return .ours(.data(transaction: current.transaction, count: count))
        }
        if current.left == 0 || short {
            phase = nil
            shown = 0
            // A response may ride behind the data; fewer bytes than a header are noise.
            if tail - head < BulkHeader.size { head = tail }
            (mayTrail, short, fresh) = (!short, false, false)
            return .ours(.dataEnds(transaction: current.transaction))
        }
        return nil
    }

    /// A data phase without length and without bytes is followed by the response at once.
    private func isResponse(insteadOf phase: Phase) -> Bool {
        guard phase.left == nil, !phase.begun, fresh, (BulkHeader.size...32).contains(tail - head) else { return false }
        guard let header = try? BulkHeader(UnsafeRawBufferPointer(rebasing: storage[head..<tail]).bytes) else {
            return false
        }
        return header.kind == .response && header.transaction == phase.transaction && Int(header.length) == tail - head
    }
}
