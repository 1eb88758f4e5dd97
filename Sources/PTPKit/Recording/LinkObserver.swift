/// Is told what is said between us and a camera, at the moment when it is said.
///
/// Called on whichever thread speaks with the camera, and for events on the one that hears them.
public protocol LinkObserver: Sendable {
    /// The connection is there, or there again. Default: nothing.
    func opened()
    /// We are about to send a request; `data` where a data phase of ours follows it.
    func sent(_ operation: Operation, transaction: UInt32, data: [UInt8]?)
    /// The camera begins a data phase; `total` is nil where it does not say how long it will be.
    func dataBegins(transaction: UInt32, total: UInt64?)
    /// The next bytes of it; valid during the call.
    func data(_ bytes: RawSpan)
    /// It is over. Default: nothing.
    func dataEnds()
    func received(_ response: Response)
    func received(_ arrival: EventQueue.Arrival)
    /// The data phase is given up, by us or by the camera. Default: nothing.
    func cancelled(transaction: UInt32, byCamera: Bool)
    /// A connection, a request or an answer failed.
    func failed(_ error: PTPError)
    /// We end the connection. Default: nothing.
    func closed()
}

extension LinkObserver {
    public func opened() {}
    public func dataEnds() {}
    public func cancelled(transaction: UInt32, byCamera: Bool) {}
    public func closed() {}
}

/// Passes everything on to another link, and tells an observer.
public final class ObservedLink: CameraLink {
    public var address: String { inner.address }
    public var eventQueue: EventQueue { inner.eventQueue }
    public var stop: @Sendable () -> Void { inner.stop }
    public var introduction: DeviceInfo? { inner.introduction }
    public var guid: [UInt8] { inner.guid }
    private let inner: any CameraLink
    private let observer: any LinkObserver

    public init(_ inner: sending any CameraLink, _ observer: some LinkObserver) {
        let eventQueue = inner.eventQueue
        (self.inner, self.observer) = (inner, observer)
        observer.opened()
        eventQueue.observe { observer.received($0) }
    }

    public func send(
        _ operation: Operation, transaction: UInt32, phase: DataPhase, data: [UInt8], by deadline: Deadline
    ) throws(PTPError) {
        observer.sent(operation, transaction: transaction, data: phase == .send ? data : nil)
        try told { () throws(PTPError) in
            try inner.send(operation, transaction: transaction, phase: phase, data: data, by: deadline)
        }
    }

    /// The observer hears of a failure.
    private func told<R>(_ body: () throws(PTPError) -> R) throws(PTPError) -> R {
        do throws(PTPError) { return try body() } catch {
            observer.failed(error)
            throw error
        }
    }

    public func next(by deadline: Deadline) throws(PTPError) -> Inbound {
        try told { () throws(PTPError) in
            let inbound = try inner.next(by: deadline)
            switch inbound {
            case .dataBegins(let transaction, _, let total): observer.dataBegins(transaction: transaction, total: total)
            case .data: try inner.payload { [observer] bytes throws(PTPError) in observer.data(bytes) }
            case .dataEnds: observer.dataEnds()
            case .response(let response): observer.received(response)
            case .cancelled(let transaction): observer.cancelled(transaction: transaction, byCamera: true)
            }
            return inbound
        }
    }

    public func payload<R>(_ body: (RawSpan) throws(PTPError) -> R) throws(PTPError) -> R { try inner.payload(body) }

    public func cancel(transaction: UInt32, by deadline: Deadline) throws(PTPError) {
        observer.cancelled(transaction: transaction, byCamera: false)
        try told { () throws(PTPError) in try inner.cancel(transaction: transaction, by: deadline) }
    }

    public func pollEvents(by deadline: Deadline) throws(PTPError) {
        try told { () throws(PTPError) in try inner.pollEvents(by: deadline) }
    }
    public func reset() throws(PTPError) -> Bool { try told { () throws(PTPError) in try inner.reset() } }

    public func close() {
        observer.closed()
        inner.close()
    }
}
