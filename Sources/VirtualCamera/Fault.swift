public import PTPKit

/// Something that goes wrong on purpose: with which operation, how often, and what.
public struct Fault: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// Answers with this code and does nothing.
        case refuse(ResponseCode)
        /// Never answers this request.
        case stall
        /// Answers nothing any more, but keeps the connection: the camera sleeps.
        case sleep
        /// Closes the connection after this many bytes of data.
        case drop(after: UInt64)
        /// On the bus: sends this many bytes of data, and the rest not before the next request.
        case halt(after: UInt64)
        /// Sends this many bytes fewer, or more, than it announced.
        case short(by: UInt64), long(by: UInt64)
        /// Announces a wrong total and sends the right number of bytes.
        case announce(UInt64)
        /// The response carries another transaction id, this far off.
        case wrongTransaction(Int32)
        /// As many late answers to an earlier request come first.
        case stale(Int)
        /// OK without a data phase.
        case noData
        /// Data without a response.
        case noResponse
        /// Whole data, then this code.
        case refuseAfterData(ResponseCode)
        /// An event and a ping on the command connection, and a packet of a type that nobody knows, before the answer.
        case noise
        /// The response carries more parameters than the standard allows.
        case crowded
        /// No packet ends the data.
        case endless
        /// Sends one byte at a time.
        case dribble
        /// Answers and then hangs up, as a body does whose ping was not answered in time.
        case lostPong
        /// Says that the transaction id is not the next one, as a body does that missed a request.
        case gap
        /// The card is pulled while the request is under way.
        case pullCard
        /// As many pieces of data without a byte come before the answer, where its data may stand.
        case flood(Int)
        /// Says goodbye in place of an answer, where the dialect has a word for it, and hangs up.
        case goodbye
    }
    /// Nil: any operation.
    public var operation: OperationCode?
    public var kind: Kind
    /// Matching requests that pass unharmed before it begins, and how many it then spoils.
    public var skip: Int, times: Int

    public init(_ kind: Kind, on operation: OperationCode? = nil, skip: Int = 0, times: Int = 1) {
        (self.kind, self.operation, self.skip, self.times) = (kind, operation, skip, times)
    }

    /// True when it spoils this request; counts down.
    mutating func strikes(_ code: OperationCode) -> Bool {
        guard times > 0, operation == nil || operation == code else { return false }
        if skip > 0 {
            skip -= 1
            return false
        }
        times -= 1
        return true
    }
}

extension Fault {
    /// Reads `drop@GetObject:after=1000000,skip=2,times=1`, `busy:times=5`, `refuse@1008:code=200F`; nil for anything
    /// else.
    public init?(text: String) {
        let halves = text.split(separator: ":", maxSplits: 1)
        let head = (halves.first ?? "").split(separator: "@", maxSplits: 1)
        var values: [String: UInt64] = [:]
        for pair in halves.count > 1 ? halves[1].split(separator: ",") : [] {
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let number = parts[0] == "code" ? UInt64(parts[1], radix: 16) : UInt64(parts[1])
            else { return nil }
            values[String(parts[0])] = number
        }
        guard let word = head.first, let kind = Self.kind(String(word), values) else { return nil }
        let operation = head.count > 1 ? Self.operation(String(head[1])) : nil
        if head.count > 1, operation == nil { return nil }
        self.init(
            kind, on: operation, skip: Int(clamping: values["skip"] ?? 0), times: Int(clamping: values["times"] ?? 1))
    }

    /// The words that `init(text:)` knows.
    public static let words = [
        "refuse", "busy", "stall", "sleep", "drop", "halt", "short", "long", "announce", "wrong-id", "stale", "no-data",
        "no-response", "refuse-after-data", "noise", "crowded", "endless", "dribble", "lost-pong", "gap", "pull-card",
        "goodbye", "flood",
    ]

    private static func kind(_ word: String, _ values: [String: UInt64]) -> Kind? {
        let code = ResponseCode(UInt16(clamping: values["code"] ?? 0x2002))
        switch word {
        case "refuse": return .refuse(code)
        case "busy": return .refuse(.deviceBusy)
        case "stall": return .stall
        case "sleep": return .sleep
        case "drop": return .drop(after: values["after"] ?? 0)
        case "halt": return .halt(after: values["after"] ?? 0)
        case "short": return .short(by: values["by"] ?? 1)
        case "long": return .long(by: values["by"] ?? 1)
        case "announce": return .announce(values["bytes"] ?? .max)
        case "wrong-id": return .wrongTransaction(Int32(clamping: values["by"] ?? 1))
        case "stale": return .stale(Int(clamping: values["count"] ?? 1))
        case "no-data": return .noData
        case "no-response": return .noResponse
        case "refuse-after-data": return .refuseAfterData(code)
        case "noise": return .noise
        case "crowded": return .crowded
        case "endless": return .endless
        case "dribble": return .dribble
        case "lost-pong": return .lostPong
        case "gap": return .gap
        case "pull-card": return .pullCard
        case "goodbye": return .goodbye
        case "flood": return .flood(Int(clamping: values["count"] ?? 100_000))
        default: return nil
        }
    }

    private static func operation(_ text: String) -> OperationCode? {
        if let number = UInt16(text, radix: 16) { return OperationCode(number) }
        return OperationCode.names.first { $0.value.lowercased() == text.lowercased() }.map { OperationCode($0.key) }
    }
}
