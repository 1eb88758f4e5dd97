/// A two-way stream of bytes: a TCP socket, or a script in a test.
///
/// Blocks up to the deadline.
public protocol ByteStream: AnyObject, Sendable {
    /// Reads what there is, at least one byte; 0 = the other side has ended. `timedOut`, `gone`.
    func read(into buffer: UnsafeMutableRawBufferPointer, by deadline: Deadline) throws(PTPError) -> Int
    /// Writes everything. Whole packets of concurrent callers do not mix.
    func write(_ bytes: [UInt8], by deadline: Deadline) throws(PTPError)
    /// Ends both directions and every wait, from any thread. Safe to call twice.
    func stop()
}

/// Bytes received and not yet used, in one buffer that never grows.
public struct StreamBuffer: ~Copyable {
    private let storage: UnsafeMutableRawBufferPointer
    private var head = 0, tail = 0

    public init(capacity: Int) {
        storage = UnsafeMutableRawBufferPointer.allocate(byteCount: max(64, capacity), alignment: 4096)
    }
    deinit { storage.deallocate() }

    public var count: Int { tail - head }

    /// Receives until at least `wanted` bytes are here; `wanted` must fit the buffer.
    public mutating func fill(_ wanted: Int, from stream: some ByteStream, by deadline: Deadline) throws(PTPError) {
        guard wanted <= storage.count else { throw .malformed("\(wanted) bytes in one piece") }
        while count < wanted {
            if head > 0, wanted > storage.count - head { compact() }
            let free = UnsafeMutableRawBufferPointer(rebasing: storage[tail...])
            let received = try stream.read(into: free, by: deadline)
            guard received > 0 else { throw .gone("it closed the connection") }
            tail += received
        }
    }

    private mutating func compact() {
        if count > 0, let base = storage.baseAddress { base.copyMemory(from: base + head, byteCount: count) }
        (head, tail) = (0, count)
    }

    /// Looks at the first `size` bytes that are here.
    public func peek<R>(_ size: Int, _ body: (RawSpan) throws(PTPError) -> R) throws(PTPError) -> R {
        guard size <= count else { throw .truncated(at: count) }
        return try body(UnsafeRawBufferPointer(rebasing: storage[head..<head + size]).bytes)
    }

    public mutating func drop(_ size: Int) {
        head = min(tail, head + size)
        if head == tail { (head, tail) = (0, 0) }
    }
}
