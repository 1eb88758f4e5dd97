import FilmgateCore

/// One camera and the session with it, on a thread of its own: waiting for the camera holds up nobody else.
///
/// Its functions are synchronous: nothing comes between the transactions of a handler with an `isolated PTPCamera`.
public actor PTPCamera {
    public nonisolated let address: String
    public nonisolated let eventQueue: EventQueue
    /// What names the body on the network; empty where nothing does, as on USB.
    public nonisolated let guid: [UInt8]
    /// When the camera last said something.
    nonisolated let heard = LastActivity()
    /// Ends every wait at once; what is under way fails with `gone`.
    public nonisolated let stop: @Sendable () -> Void
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    public internal(set) var info = DeviceInfo()
    public internal(set) var quirks: Quirks
    /// The session's id while one is open.
    public internal(set) var session: UInt32?
    let link: any CameraLink
    private let executor: BlockingExecutor
    private var counter = TransactionCounter()
    private var broken: PTPError?
    /// Bytes of the data that is coming in, where the camera says how many.
    private var incoming: UInt64?
    /// On the way out: whoever is silent once is not asked again.
    var isLeaving = false
    private var memories: [ObjectIdentifier: any HandlerMemory] = [:]

    public init(_ link: sending any CameraLink, quirks: Quirks = .standard) {
        (address, eventQueue, stop, guid) = (link.address, link.eventQueue, link.stop, link.guid)
        executor = BlockingExecutor()
        self.quirks = quirks
        self.link = link
    }

    /// A handler's own notes for this session; begins as `Memory()`.
    public subscript<Memory: HandlerMemory>(_ type: Memory.Type) -> Memory {
        get { memories[ObjectIdentifier(type)] as? Memory ?? Memory() }
        set { memories[ObjectIdentifier(type)] = newValue }
    }

    /// Runs `body` on the camera's thread.
    public func run<R: Sendable>(_ body: @Sendable (isolated PTPCamera) throws(PTPError) -> R) throws(PTPError) -> R {
        try body(self)
    }

    public func apply(_ quirks: Quirks) { self.quirks = quirks }

    /// Why the connection can no longer be used; nil while it can.
    public var failure: PTPError? { broken ?? eventQueue.ended }

    func endConnection(_ reason: PTPError) {
        broken = broken ?? reason
        link.close()
    }
}

/// What a handler keeps for the length of one session.
public protocol HandlerMemory { init() }

extension PTPCamera {
    /// An operation without data, or with data that we send.
    ///
    /// Any answer but OK is `refused`.
    @discardableResult
    public func call(_ code: OperationCode, _ parameters: UInt32..., sending data: [UInt8]? = nil) throws(PTPError)
        -> Response
    {
        let operation = Operation(code, parameters), phase: DataPhase = data == nil ? .none : .send
        return try patiently(operation, phase, data ?? [], bytes: 0) { _ throws(PTPError) in }.response
    }

    /// An operation that answers with a dataset, which is collected in memory: at most `limit` bytes.
    public func read(_ code: OperationCode, _ parameters: UInt32..., limit: Int = 1 << 26) throws(PTPError) -> [UInt8] {
        var bytes: [UInt8] = []
        _ = try patiently(Operation(code, parameters), .receive, [], bytes: 0) { part throws(PTPError) in
            let isTooMuch = bytes.count + part.byteCount > limit
            if isTooMuch { throw .malformed("\(code) answers with more than \(limit) bytes") }
            if bytes.isEmpty, let incoming, incoming <= limit { bytes.reserveCapacity(Int(incoming)) }
            part.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    /// An operation whose data goes straight on to `deliver`, part by part; `bytes` is how much is expected.
    ///
    /// Returns what came.
    public func stream(
        _ operation: Operation, expecting bytes: UInt64, _ deliver: (RawSpan) throws(PTPError) -> Void
    ) throws(PTPError) -> (received: UInt64, response: Response) {
        try patiently(operation, .receive, [], bytes: bytes, deliver)
    }

    /// Asks again while the camera is busy, ever more rarely, up to the quirks' patience.
    private func patiently(
        _ operation: Operation, _ phase: DataPhase, _ data: [UInt8], bytes: UInt64,
        _ deliver: (RawSpan) throws(PTPError) -> Void
    ) throws(PTPError) -> (received: UInt64, response: Response) {
        let end = Deadline.after(quirks.patience)
        var pause = Duration.milliseconds(25), delivered = false
        while true {
            if Task.isCancelled { throw .sink(IngestError(.cancelled, "Stopped.")) }
            do throws(PTPError) {
                return try transact(operation, phase, data, bytes: bytes) { part throws(PTPError) in
                    delivered = true
                    try deliver(part)
                }
            } catch {
                // What has been passed on cannot be taken back, so such a request is not repeated here.
                let isBusy = error.refusal.map(quirks.busy.contains) ?? false
                guard isBusy, !delivered, !end.hasPassed else { throw error }
                try rest(pause)
                pause = min(pause * 2, .milliseconds(400))
            }
        }
    }

    private func transact(
        _ operation: Operation, _ phase: DataPhase, _ data: [UInt8], bytes: UInt64,
        _ deliver: (RawSpan) throws(PTPError) -> Void
    ) throws(PTPError) -> (received: UInt64, response: Response) {
        if let broken { throw broken }
        let id = session == nil ? 0 : nextID()
        var machine = Transaction(id: id, operation: operation.code, expectsData: phase == .receive)
        let deadline = Deadline.after(quirks.limit(for: bytes))
        do throws(PTPError) {
            try link.send(operation, transaction: id, phase: phase, data: data, by: deadline)
            let response = try follow(&machine, by: deadline, deliver)
            guard response.code == .ok else { throw .refused(response.code, during: operation.code) }
            return (machine.received, response)
        } catch {
            try settle(error, id, operation.code)
        }
    }

    private func follow(
        _ machine: inout Transaction, by deadline: Deadline, _ deliver: (RawSpan) throws(PTPError) -> Void
    ) throws(PTPError) -> Response {
        while true {
            guard !deadline.hasPassed else { throw .timedOut("\(machine.operation)") }
            let inbound = try link.next(by: deadline.within(quirks.silence))
            heard.note()
            switch try machine.take(inbound) {
            case .ignore: continue
            case .deliver:
                incoming = machine.announced
                try link.payload(deliver)
            case .finished(let response): return response
            }
        }
    }

    private func nextID() -> UInt32 { counter.next() }
    func restartCounting() { counter = TransactionCounter() }

    /// Leaves the connection in step after a failure, or ends it.
    private func settle(_ error: PTPError, _ id: UInt32, _ code: OperationCode) throws(PTPError) -> Never {
        switch error {
        case .refused: break
        case .sink:
            // Our own side failed in the middle of a data phase: the camera must stop, or be heard to its end.
            if !giveUp(id) { endConnection(.gone("a transfer could not be stopped")) }
        case .timedOut:
            if let ended = eventQueue.ended {
                endConnection(ended)
            } else if isLeaving {
                endConnection(.gone("it does not answer any more"))
            } else if code == .getThumb {
                // The rest of it would be taken for part of a file. Who knows no end is asked for files all the same.
                _ = giveUp(id)
            }
        case .length: break
        default: endConnection(.gone("the session was given up (\(error.description))"))
        }
        throw error
    }

    /// Cancels a transaction and drains what is still under way; false when the camera does not come to an end.
    private func giveUp(_ id: UInt32) -> Bool {
        let deadline = Deadline.after(.seconds(5))
        do throws(PTPError) {
            try link.cancel(transaction: id, by: deadline)
            while !deadline.hasPassed {
                if case .response(let reply) = try link.next(by: deadline), reply.transaction == id { return true }
            }
        } catch { return false }
        return false
    }
}
