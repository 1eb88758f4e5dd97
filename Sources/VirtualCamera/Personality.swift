public import PTPKit

/// How a make's body behaves: a description of itself, and what it does differently from the standard.
public protocol Personality: Sendable {
    var info: DeviceInfo { get }
    /// The name in the PTP/IP handshake.
    var greeting: String { get }
    /// The first object's handle.
    var firstHandle: UInt32 { get }
    /// Folder that new shots go to.
    var folder: String { get }
    /// An operation's answer; nil leaves it to the standard.
    func answer(_ request: VirtualRequest, _ body: inout VirtualBody) -> Answer?
    /// A shot was taken and its files are on the card: tell the initiator in the make's way. `folders` are new, too.
    func announce(_ objects: [VirtualObject], folders: [VirtualObject], _ body: inout VirtualBody)
    /// Puts a camera with this personality on the network. By default in PTP/IP.
    func serve(_ camera: VirtualCamera, address: String, port: UInt16) throws(PTPError) -> any CameraServer
}

extension Personality {
    public var greeting: String { info.model }
    public var firstHandle: UInt32 { 1 }
    public var folder: String { "DCIM/100FILMG" }
    public func answer(_ request: VirtualRequest, _ body: inout VirtualBody) -> Answer? { nil }
    public func announce(_ objects: [VirtualObject], folders: [VirtualObject], _ body: inout VirtualBody) {
        for object in folders + objects { body.post(PTPEvent(.objectAdded, [object.handle.rawValue])) }
    }
    public func serve(_ camera: VirtualCamera, address: String = "127.0.0.1", port: UInt16 = 0) throws(PTPError)
        -> any CameraServer
    {
        try PTPIPResponder(camera, address: address, port: port)
    }
}

/// A request as the body sees it; `data` is what the initiator sent along.
public struct VirtualRequest: Sendable, Hashable {
    public var operation: Operation, transaction: UInt32, data: [UInt8]
    public init(_ operation: Operation, transaction: UInt32, data: [UInt8] = []) {
        (self.operation, self.transaction, self.data) = (operation, transaction, data)
    }
}

/// What the body answers.
public struct Answer: Sendable {
    public enum Payload: Sendable {
        case bytes([UInt8])
        case part(Content, offset: UInt64, count: UInt64)

        public var count: UInt64 {
            switch self {
            case .bytes(let bytes): UInt64(bytes.count)
            case .part(_, _, let count): count
            }
        }

        public func slice(at offset: UInt64, count: Int) -> [UInt8] {
            switch self {
            case .bytes(let bytes): Array(bytes[min(bytes.count, Int(offset))...].prefix(count))
            case .part(let content, let start, let length):
                content.slice(at: start + offset, count: Int(min(UInt64(count), length - min(length, offset))))
            }
        }
    }
    public var code: ResponseCode, parameters: [UInt32], payload: Payload?

    public init(_ code: ResponseCode, _ parameters: [UInt32] = [], payload: Payload? = nil) {
        (self.code, self.parameters, self.payload) = (code, parameters, payload)
    }
    public static let ok = Answer(.ok)
    public static func data(_ bytes: [UInt8], _ parameters: [UInt32] = []) -> Answer {
        Answer(.ok, parameters, payload: .bytes(bytes))
    }
}

/// The state of a body.
public struct VirtualBody: Sendable {
    public var cards: [VirtualCard]
    public var session: UInt32?
    /// Events to be sent when the present answer is out.
    public private(set) var outgoing: [PTPEvent] = []
    private var memories: [ObjectIdentifier: any HandlerMemory & Sendable] = [:]

    public init(cards: [VirtualCard]) { self.cards = cards }

    /// A personality's own notes; begins as `Memory()`.
    public subscript<Memory: HandlerMemory & Sendable>(_ type: Memory.Type) -> Memory {
        get { memories[ObjectIdentifier(type)] as? Memory ?? Memory() }
        set { memories[ObjectIdentifier(type)] = newValue }
    }

    /// Takes every card out and tells the initiator.
    @discardableResult
    public mutating func pullCards() -> [VirtualCard] {
        defer { cards = [] }
        for card in cards { post(PTPEvent(.storeRemoved, [card.storage.rawValue])) }
        return cards
    }

    public mutating func post(_ event: PTPEvent) { outgoing.append(event) }
    mutating func takeOutgoing() -> [PTPEvent] {
        defer { outgoing = [] }
        return outgoing
    }

    public func object(_ handle: ObjectHandle) -> VirtualObject? {
        for card in cards { if let object = card[handle] { return object } }
        return nil
    }

    public func card(_ storage: StorageID) -> VirtualCard? { cards.first { $0.storage == storage } }
}
