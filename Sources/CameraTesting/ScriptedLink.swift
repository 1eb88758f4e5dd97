import FilmgateCore
public import PTPKit
import Synchronization

/// A camera that answers every request with the next bytes of a script, whatever was asked: what a handler makes of
/// anything at all.
///
/// Each answer is a byte that says how it goes, two bytes of length, and the data. When the script or the patience
/// ends, the camera is gone.
public final class ScriptedLink: CameraLink {
    public let address = "script"
    public let eventQueue = EventQueue()
    public let introduction: DeviceInfo?
    public var stop: @Sendable () -> Void { { [eventQueue] in eventQueue.end(.gone("stopped")) } }
    private let script: [UInt8]
    private var offset = 0
    private var requestsLeft: Int
    private var answer: [Inbound] = []
    private var data: ArraySlice<UInt8> = []

    public init(_ script: [UInt8], as info: DeviceInfo, requests: Int = 64) {
        (self.script, introduction, requestsLeft) = (script, info, requests)
    }

    public func send(
        _ operation: Operation, transaction: UInt32, phase: DataPhase, data: [UInt8], by deadline: Deadline
    ) throws(PTPError) {
        guard requestsLeft > 0, offset < script.count || operation.code == .openSession else {
            throw .gone("the script has ended")
        }
        requestsLeft -= 1
        let mood = operation.code == .openSession ? 0 : byte()
        var parts: [Inbound] = []
        if phase == .receive, mood != 1 {
            let count = min((Int(byte()) | Int(byte()) << 8) % 4096, script.count - offset)
            self.data = script[offset..<offset + count]
            offset += count
            parts.append(.dataBegins(transaction: transaction, code: nil, total: nil))
            if count > 0 { parts.append(.data(transaction: transaction, count: count)) }
            parts.append(.dataEnds(transaction: transaction))
        }
        let code: ResponseCode = mood == 1 ? 0x2009 : mood == 2 ? 0x2005 : .ok
        answer = parts + [.response(Response(code, transaction: transaction, [UInt32(mood)]))]
    }

    private func byte() -> UInt8 {
        guard offset < script.count else { return 0 }
        defer { offset += 1 }
        return script[offset]
    }

    public func next(by deadline: Deadline) throws(PTPError) -> Inbound {
        guard !answer.isEmpty else { throw .gone("the script has ended") }
        return answer.removeFirst()
    }

    public func payload<R>(_ body: (RawSpan) throws(PTPError) -> R) throws(PTPError) -> R {
        try body(Array(data).span.bytes)
    }
    public func cancel(transaction: UInt32, by deadline: Deadline) throws(PTPError) {}
    public func pollEvents(by deadline: Deadline) throws(PTPError) {}
    public func reset() throws(PTPError) -> Bool { false }
    public func close() { stop() }

    /// Everything that a handler does in a session, once: it may fail as it likes, but not trap, hang, or promise more
    /// than it was told.
    public static func exercise(_ handler: some ManufacturerHandler, as info: DeviceInfo, _ script: [UInt8]) async {
        let camera = PTPCamera(
            ScriptedLink(script, as: info), quirks: handler.quirks.with { ($0.patience, $0.settle) = (.zero, .zero) })
        try? await camera.open()
        try? await camera.run { camera throws(PTPError) in
            try? handler.prepare(camera)
            let objects = (try? handler.list(camera)) ?? []
            for object in objects { precondition(!object.name.isEmpty && !object.name.contains("/"), "an unsafe name") }
            let news = (try? handler.news(camera, [PTPEvent(.objectAdded, [1]), PTPEvent(0xC101, [])])) ?? []
            for case .object(let object) in news { precondition(!object.name.contains("/"), "an unsafe name") }
            if let object = objects.first(where: { $0.size > 0 }) {
                let limit = BoundedSink(object.size)
                try? handler.fetch(object, 0..<object.size, camera, into: limit)
            }
            try? handler.keepAlive(camera)
            handler.release(camera)
        }
        await camera.close()
    }

    /// A script from a number: the same number, the same script.
    public static func random(_ seed: UInt64) -> [UInt8] {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
        var script: [UInt8] = []
        for _ in 0..<24 {
            let size = Int(next() % 200)
            script += [UInt8(next() % 12), UInt8(size & 0xFF), UInt8(size >> 8)]
            // Small numbers are more often a count, a size or a code than others.
            for _ in 0..<size { script.append(next() % 3 == 0 ? UInt8(truncatingIfNeeded: next()) : UInt8(next() % 4)) }
        }
        return script
    }
}

/// Counts; more than was promised must never arrive.
private final class BoundedSink: ByteSink {
    private let left: Mutex<UInt64>
    init(_ limit: UInt64) { left = Mutex(limit) }
    func write(_ bytes: RawSpan) throws(IngestError) {
        left.withLock { left in
            precondition(UInt64(bytes.byteCount) <= left, "more than promised")
            left -= UInt64(bytes.byteCount)
        }
    }
}
