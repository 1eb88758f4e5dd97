import Synchronization

/// What is being recorded; filled by a link, read at the end.
public final class Recorder: Sendable {
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

    func begin(_ operation: Operation, _ data: [UInt8]?) {
        state.withLock { state in
            state.finish()
            state.current = Recording.Exchange(operation, sent: data)
        }
    }

    func dataBegins(_ total: UInt64?) {
        state.withLock { state in
            state.current?.announced = total
            state.current?.payload = state.isBlank ? .blank(0) : .bytes([])
        }
    }

    func data(_ bytes: RawSpan) {
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

    func response(_ response: Response) {
        state.withLock { state in
            state.current?.response = response.code
            state.current?.parameters = response.parameters
            state.finish()
        }
    }

    func failed(_ word: String) {
        state.withLock { state in
            state.current?.failure = word
            state.finish()
        }
    }

    func event(_ event: PTPEvent) { state.withLock { $0.recording.items.append(.event(event)) } }
}

/// Passes everything on to another link, and keeps what was said.
public final class RecordingLink: CameraLink {
    public var address: String { inner.address }
    public var mailbox: EventMailbox { inner.mailbox }
    public var stop: @Sendable () -> Void { inner.stop }
    public var introduction: DeviceInfo? { inner.introduction }
    public var guid: [UInt8] { inner.guid }
    private let inner: any CameraLink
    private let recorder: Recorder

    public init(_ inner: sending any CameraLink, _ recorder: Recorder) { (self.inner, self.recorder) = (inner, recorder) }

    public func send(_ operation: Operation, transaction: UInt32, phase: DataPhase, data: [UInt8], by deadline: Deadline) throws(PTPError) {
        recorder.begin(operation, phase == .send ? data : nil)
        do throws(PTPError) { try inner.send(operation, transaction: transaction, phase: phase, data: data, by: deadline) } catch {
            recorder.failed(Self.word(error))
            throw error
        }
    }

    public func next(by deadline: Deadline) throws(PTPError) -> Inbound {
        do throws(PTPError) {
            let inbound = try inner.next(by: deadline)
            switch inbound {
            case .dataBegins(_, _, let total): recorder.dataBegins(total)
            case .data: try inner.payload { [recorder] bytes throws(PTPError) in recorder.data(bytes) }
            case .response(let response): recorder.response(response)
            case .dataEnds, .cancelled: break
            }
            return inbound
        } catch {
            recorder.failed(Self.word(error))
            throw error
        }
    }

    public func payload<R>(_ body: (RawSpan) throws(PTPError) -> R) throws(PTPError) -> R { try inner.payload(body) }
    public func cancel(transaction: UInt32, by deadline: Deadline) throws(PTPError) {
        try inner.cancel(transaction: transaction, by: deadline)
    }

    public func pollEvents(by deadline: Deadline) throws(PTPError) {
        try inner.pollEvents(by: deadline)
        for event in mailbox.take().events {
            recorder.event(event)
            mailbox.post(event)
        }
    }

    public func reset() throws(PTPError) -> Bool { try inner.reset() }
    public func close() { inner.close() }

    private static func word(_ error: PTPError) -> String {
        switch error {
        case .timedOut: "timedOut"
        case .gone: "gone"
        case .truncated, .malformed: "malformed"
        default: "other"
        }
    }
}
