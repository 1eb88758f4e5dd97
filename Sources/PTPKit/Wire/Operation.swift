/// A request: an operation and up to five parameters.
public struct Operation: Sendable, Hashable {
    public var code: OperationCode
    public var parameters: [UInt32]

    /// Parameters beyond the fifth are dropped: the standard has no room for them.
    public init(_ code: OperationCode, _ parameters: [UInt32] = []) {
        (self.code, self.parameters) = (code, Array(parameters.prefix(5)))
    }

    public func parameter(_ index: Int) -> UInt32 { index < parameters.count ? parameters[index] : 0 }
}

/// Which way data goes in a transaction, seen from us.
public enum DataPhase: Sendable, Hashable { case none, receive, send }

/// The camera's answer that ends a transaction.
public struct Response: Sendable, Hashable {
    public var code: ResponseCode
    public var transaction: UInt32
    public var parameters: [UInt32]

    public init(_ code: ResponseCode, transaction: UInt32, _ parameters: [UInt32] = []) {
        (self.code, self.transaction, self.parameters) = (code, transaction, parameters)
    }

    public func parameter(_ index: Int) -> UInt32? { index < parameters.count ? parameters[index] : nil }
}

/// News from the camera, outside any transaction.
///
/// The transaction id that it carries may be anything and is never matched.
public struct PTPEvent: Sendable, Hashable {
    public var code: EventCode
    public var transaction: UInt32
    public var parameters: [UInt32]

    public init(_ code: EventCode, transaction: UInt32 = 0xFFFF_FFFF, _ parameters: [UInt32] = []) {
        (self.code, self.transaction, self.parameters) = (code, transaction, parameters)
    }

    public func parameter(_ index: Int) -> UInt32? { index < parameters.count ? parameters[index] : nil }
}
