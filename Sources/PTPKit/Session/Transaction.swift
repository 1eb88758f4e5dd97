/// One transaction as a state machine: what comes in is judged, nothing is read or written here.
public struct Transaction: Sendable {
    public enum Step: Sendable, Hashable {
        /// The data that just came belongs to us.
        case deliver
        /// Belongs to an earlier transaction, or is of no use: drop it.
        case ignore
        case finished(Response)
    }
    public let id: UInt32
    public let operation: OperationCode
    private let expectsData: Bool
    /// Announced bytes of our data phase; nil before it begins or when the camera does not know.
    public private(set) var announced: UInt64?
    public private(set) var received: UInt64 = 0
    private enum Phase { case waiting, receiving, stale(UInt32), over }
    private var phase = Phase.waiting
    private var strays = 0

    public init(id: UInt32, operation: OperationCode, expectsData: Bool) {
        (self.id, self.operation, self.expectsData) = (id, operation, expectsData)
    }

    /// How much that belongs to others is tolerated before we stop believing that an answer will come.
    public static let strayLimit = 8

    public mutating func take(_ inbound: Inbound) throws(PTPError) -> Step {
        switch inbound {
        case .dataBegins(let transaction, let code, let total): return try begin(transaction, code, total)
        case .data(let transaction, let count): return try data(transaction, count)
        case .dataEnds(let transaction): return try end(transaction)
        case .cancelled(let transaction): return try cancel(transaction)
        case .response(let response): return try finish(response)
        }
    }

    private mutating func begin(_ transaction: UInt32, _ code: OperationCode?, _ total: UInt64?) throws(PTPError)
        -> Step
    {
        guard transaction == id else {
            try stray(transaction)
            phase = .stale(transaction)
            return .ignore
        }
        guard case .waiting = phase, expectsData else {
            throw .malformed("data that was not asked for during \(operation)")
        }
        if let code, code != operation { throw .malformed("data of \(code) during \(operation)") }
        announced = total
        phase = .receiving
        return .ignore
    }

    private mutating func data(_ transaction: UInt32, _ count: Int) throws(PTPError) -> Step {
        if case .stale(let other) = phase, other == transaction { return .ignore }
        if transaction != id, case .waiting = phase {
            // The rest of a data phase that an earlier transaction gave up waiting for.
            try stray(transaction)
            phase = .stale(transaction)
            return .ignore
        }
        guard transaction == id, case .receiving = phase else {
            throw .malformed("data outside its phase during \(operation)")
        }
        received += UInt64(count)
        if let announced, received > announced { throw .length(expected: announced, got: received) }
        return .deliver
    }

    private mutating func end(_ transaction: UInt32) throws(PTPError) -> Step {
        if case .stale(let other) = phase, other == transaction {
            phase = .waiting
            return .ignore
        }
        guard transaction == id, case .receiving = phase else {
            throw .malformed("the end of data that never began during \(operation)")
        }
        phase = .over
        return .ignore
    }

    /// Ends our data phase once; any other is of no use, and tolerated a few times.
    private mutating func cancel(_ transaction: UInt32) throws(PTPError) -> Step {
        if transaction == id, case .receiving = phase {
            phase = .over
        } else {
            try count("only cancellations during \(operation)")
        }
        return .ignore
    }

    private mutating func finish(_ response: Response) throws(PTPError) -> Step {
        guard response.transaction == id || mayDiffer(response) else {
            try stray(response.transaction)
            phase = .waiting
            return .ignore
        }
        guard response.code == .ok else { return .finished(response) }
        if expectsData {
            switch phase {
            case .over: if let announced, announced != received { throw .length(expected: announced, got: received) }
            case .receiving: throw .length(expected: announced ?? received, got: received)
            default: throw .malformed("OK without the data of \(operation)")
            }
        }
        return .finished(response)
    }

    /// Answers to opening and closing carry other ids on some bodies.
    private func mayDiffer(_ response: Response) -> Bool {
        operation == .closeSession || operation == .openSession
            ? response.transaction == 0 || response.transaction == UInt32.max : false
    }

    /// An id from the past is a late answer, and tolerated a few times; one from the future is a broken camera.
    ///
    /// Before a session is open every other id is a leftover of an earlier one.
    private mutating func stray(_ transaction: UInt32) throws(PTPError) {
        let behind = id &- transaction
        guard id == 0 || (behind < 0x8000_0000 && transaction != UInt32.max) else {
            throw .malformed("transaction \(transaction) in place of \(id) during \(operation)")
        }
        try count("only answers to earlier requests during \(operation)")
    }

    private mutating func count(_ what: String) throws(PTPError) {
        strays += 1
        guard strays <= Self.strayLimit else { throw .malformed(what) }
    }
}

/// Transaction ids: contiguous from 1, never 0 and never all ones.
public struct TransactionCounter: Sendable {
    private var last: UInt32

    public init(last: UInt32 = 0) { self.last = last }

    public mutating func next() -> UInt32 {
        last = last >= 0xFFFF_FFFE ? 1 : last + 1
        return last
    }
}
