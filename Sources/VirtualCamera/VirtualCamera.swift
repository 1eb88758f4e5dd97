public import PTPKit
import Synchronization

/// A camera that exists only here: a card, a body with a make's personality, and faults.
///
/// Transports serve it.
///
/// All members may be called from any thread.
public final class VirtualCamera: Sendable {
    /// What goes over the wire: the answer, and how to spoil it.
    public struct Reply: Sendable {
        public var answer: Answer, fault: Fault.Kind?
    }
    private struct State {
        var body: VirtualBody
        var faults: [Fault] = []
        var asleep = false
        var log: [VirtualRequest] = []
        var listeners: [UInt64: @Sendable (PTPEvent) -> Void] = [:]
        var next: UInt64 = 0
    }
    public let personality: any Personality
    private let state: Mutex<State>

    public init(_ personality: any Personality, cards: [VirtualCard]? = nil, faults: [Fault] = []) {
        self.personality = personality
        var first = State(body: VirtualBody(cards: cards ?? [VirtualCard(firstHandle: personality.firstHandle)]))
        first.faults = faults
        state = Mutex(first)
    }

    /// Answers a request; nil means silence.
    public func respond(_ request: VirtualRequest) -> Reply? {
        let (reply, events) = state.withLock { state -> (Reply?, [PTPEvent]) in
            if state.log.count < 100_000 { state.log.append(request) }
            let before = state.faults
            let fault = Self.strike(&state.faults, request.operation.code)
            if case .sleep = fault { state.asleep = true }
            if case .stall = fault { return (nil, []) }
            if state.asleep { return (nil, []) }
            if case .refuse(let code) = fault { return (Reply(answer: Answer(code), fault: nil), []) }
            if case .gap = fault { return (Reply(answer: Answer(.invalidTransactionID), fault: nil), []) }
            if case .pullCard = fault {
                state.body.pullCards()
                return (Reply(answer: Answer(.storeNotAvailable), fault: nil), state.body.takeOutgoing())
            }
            let answer =
                personality.answer(request, &state.body) ?? StandardBody.answer(request, personality.info, &state.body)
            if case .drop(let after) = fault, answer.payload?.count ?? 0 <= after {
                // Too little to break in the middle of: the fault waits for something larger.
                state.faults = before
                return (Reply(answer: answer, fault: nil), state.body.takeOutgoing())
            }
            return (Reply(answer: answer, fault: fault), state.body.takeOutgoing())
        }
        for event in events { send(event) }
        return reply
    }

    private static func strike(_ faults: inout [Fault], _ code: OperationCode) -> Fault.Kind? {
        for index in faults.indices where faults[index].strikes(code) { return faults[index].kind }
        return nil
    }

    /// Takes a picture: the files of one shot appear on the first card and are announced.
    @discardableResult
    public func shoot(_ files: [VirtualFile], in folder: String? = nil) -> [VirtualObject] {
        let (objects, events) = state.withLock { state -> ([VirtualObject], [PTPEvent]) in
            guard !state.body.cards.isEmpty else { return ([], []) }
            let added = files.map { state.body.cards[0].add($0, in: folder ?? $0.folder ?? personality.folder) }
            let objects = added.map(\.object)
            personality.announce(objects, folders: added.flatMap(\.folders), &state.body)
            return (objects, state.body.takeOutgoing())
        }
        for event in events { send(event) }
        return objects
    }

    /// Looks at or changes the body, for tests and scripts.
    @discardableResult
    public func withBody<R: Sendable>(_ body: @Sendable (inout VirtualBody) -> R) -> R {
        let (result, events) = state.withLock { state in (body(&state.body), state.body.takeOutgoing()) }
        for event in events { send(event) }
        return result
    }

    /// Pulls every card: their objects are gone, and the initiator is told.
    @discardableResult
    public func pullCards() -> [VirtualCard] {
        withBody { $0.pullCards() }
    }

    public func insert(_ card: VirtualCard) {
        withBody { body in
            body.cards.append(card)
            body.post(PTPEvent(.storeAdded, [card.storage.rawValue]))
        }
    }

    public func add(_ fault: Fault) { state.withLock { $0.faults.append(fault) } }
    public func clearFaults() { state.withLock { ($0.faults, $0.asleep) = ([], false) } }

    /// Faults that have not struck as often as they will.
    public var hasFaults: Bool { state.withLock { $0.faults.contains { $0.times > 0 } } }

    /// Every request so far, in order.
    public var log: [VirtualRequest] { state.withLock(\.log) }

    /// The connection is gone: whatever session there was has ended.
    public func disconnected() { state.withLock { $0.body.session = nil } }

    /// Sends an event to every initiator.
    public func send(_ event: PTPEvent) {
        for listener in state.withLock({ $0.asleep ? [] : Array($0.listeners.values) }) { listener(event) }
    }

    func listen(_ listener: @escaping @Sendable (PTPEvent) -> Void) -> UInt64 {
        state.withLock { state in
            state.next += 1
            state.listeners[state.next] = listener
            return state.next
        }
    }

    func unlisten(_ id: UInt64) { state.withLock { _ = $0.listeners.removeValue(forKey: id) } }
}
