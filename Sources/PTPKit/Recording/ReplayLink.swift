import Synchronization

/// A camera that answers as a recorded one did.
///
/// Each question gets the next recorded answer to the same question; when those are used up, the last one again, as
/// when a camera is asked for news over and over. What was never asked is answered with "not supported", and told.
public final class ReplayLink: CameraLink {
    public let eventQueue = EventQueue()
    public var address: String { "recording" }
    public var stop: @Sendable () -> Void {
        { [eventQueue] in eventQueue.end(.gone("the recording was closed")) }
    }
    private let recording: Recording
    private let unanswered: Unanswered
    private var used: Set<Int> = []
    private var queue: [Inbound] = []
    private var content = Recording.Payload.bytes([])
    private var position: UInt64 = 0, shown: [UInt8] = []
    private var failure: String?

    /// Questions that the recording does not answer.
    public final class Unanswered: Sendable {
        private let state = Mutex<[Operation]>([])
        public init() {}
        public var operations: [Operation] { state.withLock { $0 } }
        func add(_ operation: Operation) { state.withLock { $0.append(operation) } }
    }

    public init(_ recording: Recording, unanswered: Unanswered = Unanswered()) {
        (self.recording, self.unanswered) = (recording, unanswered)
    }

    public func send(
        _ operation: Operation, transaction: UInt32, phase: DataPhase, data: [UInt8], by deadline: Deadline
    ) throws(PTPError) {
        if let ended = eventQueue.ended { throw ended }
        (queue, failure, position) = ([], nil, 0)
        guard let index = find(operation), case .exchange(let exchange) = recording.items[index] else {
            unanswered.add(operation)
            queue = [.response(Response(.operationNotSupported, transaction: transaction))]
            return
        }
        used.insert(index)
        postEvents(after: index)
        if let payload = exchange.payload {
            content = payload
            queue.append(.dataBegins(transaction: transaction, code: operation.code, total: exchange.announced))
            var left = payload.count
            while left > 0 {
                let part = min(left, 1 << 20)
                queue.append(.data(transaction: transaction, count: Int(part)))
                left -= part
            }
            if exchange.response != nil { queue.append(.dataEnds(transaction: transaction)) }
        }
        if let code = exchange.response {
            queue.append(.response(Response(code, transaction: transaction, exchange.parameters)))
        }
        failure = exchange.failure
    }

    /// The first unused exchange with this question, else the last one that was used.
    private func find(_ operation: Operation) -> Int? {
        var last: Int?
        for (index, item) in recording.items.enumerated() {
            guard case .exchange(let exchange) = item, exchange.operation == operation else { continue }
            if !used.contains(index) { return index }
            last = index
        }
        return last
    }

    /// Events that came before the next question of the recording.
    private func postEvents(after index: Int) {
        for (offset, item) in recording.items[(index + 1)...].enumerated() {
            guard case .event(let event) = item, used.insert(index + 1 + offset).inserted else { return }
            eventQueue.post(event)
        }
    }

    public func next(by deadline: Deadline) throws(PTPError) -> Inbound {
        guard !queue.isEmpty else {
            switch failure {
            case "timedOut": throw .timedOut("the recorded camera did not answer")
            case "malformed": throw .malformed("the recorded camera's answer")
            default: throw .gone("the recording ends here")
            }
        }
        let inbound = queue.removeFirst()
        if case .data(_, let count) = inbound { show(count) }
        return inbound
    }

    /// Content that was not kept is made up: each byte is the low part of its place.
    private func show(_ count: Int) {
        let start = position
        position += UInt64(count)
        switch content {
        case .bytes(let bytes): shown = Array(bytes[Int(start)..<Int(start) + count])
        case .blank: shown = (0..<count).map { UInt8(truncatingIfNeeded: start + UInt64($0)) }
        }
    }

    public func payload<R>(_ body: (RawSpan) throws(PTPError) -> R) throws(PTPError) -> R {
        let bytes = shown
        return try body(bytes.span.bytes)
    }

    public func cancel(transaction: UInt32, by deadline: Deadline) throws(PTPError) { queue = [] }
    public func pollEvents(by deadline: Deadline) throws(PTPError) {}
    public func reset() throws(PTPError) -> Bool { false }
    public func close() { eventQueue.end(.gone("the recording was closed")) }
}

/// Connects to a recording that answers as the camera did.
public struct ReplayCameraConnector: CameraConnector {
    public let recording: Recording
    public let unanswered = ReplayLink.Unanswered()
    public init(_ recording: Recording) { self.recording = recording }

    public var address: String { "recording://1" }
    public var usb: USBIdentity? { recording.usb }
    public func open() throws(PTPError) -> sending any CameraLink { ReplayLink(recording, unanswered: unanswered) }
}

/// A bus on which recorded cameras are plugged in.
public struct ReplayBus: CameraBus {
    public let connector: ReplayCameraConnector
    public init(_ recording: Recording) { connector = ReplayCameraConnector(recording) }
    public func connectors() throws(PTPError) -> [any CameraConnector] { [connector] }
}
