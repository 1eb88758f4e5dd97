import Synchronization

/// What is being recorded; filled by a link, read at the end.
public final class Recorder: LinkObserver {
    private struct State {
        var recording: Recording, current: Recording.Exchange? = nil, isBlank = false, kept = 0

        mutating func finish() { if let exchange = current.take() { recording.items.append(.exchange(exchange)) } }
    }
    /// Bytes of datasets that are kept in all.
    private static let limit = 24 << 20
    private let state: Mutex<State>

    public init(usb: USBIdentity?) { state = Mutex(State(recording: Recording(usb: usb))) }

    public var recording: Recording { state.withLock(\.recording) }

    /// While true, data from the camera is a file's content and only counted.
    public func leaveOutContent(_ isBlank: Bool) { state.withLock { $0.isBlank = isBlank } }

    public func sent(_ operation: Operation, transaction: UInt32, data: [UInt8]?) {
        state.withLock { state in
            state.finish()
            state.current = Recording.Exchange(operation, sent: data)
        }
    }

    public func dataBegins(transaction: UInt32, total: UInt64?) {
        state.withLock { state in
            state.current?.announced = total
            state.current?.payload = state.isBlank ? .blank(0) : .bytes([])
        }
    }

    public func data(_ bytes: RawSpan) {
        state.withLock { state in
            switch state.current?.payload {
            case .blank(let count): state.current?.payload = .blank(count + UInt64(bytes.byteCount))
            case .bytes(var kept):
                state.kept += bytes.byteCount
                guard state.kept <= Self.limit else {
                    state.current?.payload = .blank(UInt64(kept.count + bytes.byteCount))
                    return
                }
                state.current?.payload = nil
                bytes.withUnsafeBytes { kept.append(contentsOf: $0) }
                state.current?.payload = .bytes(kept)
            case nil: break
            }
        }
    }

    public func received(_ response: Response) {
        state.withLock { state in
            state.current?.response = response.code
            state.current?.parameters = response.parameters
            state.finish()
        }
    }

    public func failed(_ error: PTPError) {
        state.withLock { state in
            state.current?.failure = Self.word(error)
            state.finish()
        }
    }

    public func received(_ arrival: EventQueue.Arrival) {
        guard case .event(let event) = arrival else { return }
        state.withLock { $0.recording.items.append(.event(event)) }
    }

    private static func word(_ error: PTPError) -> String {
        switch error {
        case .timedOut: "timedOut"
        case .gone: "gone"
        case .truncated, .malformed: "malformed"
        default: "other"
        }
    }
}
