public import FilmgateCore
import Synchronization

/// Who delivers what in this process: each content goes to each target by one scheduler at a time, the others wait for
/// what it comes to.
///
/// One process holds a state, so this need not be written down: a run, and the jobs that other processes hand to it,
/// share one.
public final class DeliveryLeases: Sendable {
    /// What a scheduler does for the others.
    struct Holder: Sendable {
        /// Tries again now what is held or waits at the target of that name, nil = at every target, where these
        /// contents wait, nil = where anything does; with `anyway` also what another station may have sent.
        var tryNow: @Sendable (_ target: String?, _ contents: Set<ContentKey>?, _ anyway: Bool) async -> Void
        /// Leaves a delivery that was not begun to that scheduler, under that identity.
        var cede: @Sendable (_ old: Delivery.ID, _ new: Delivery.ID, _ heir: Int) async -> Void
        /// Ends a delivery that was not begun as taken back; false when it is being sent.
        var cancel: @Sendable (Delivery.ID) async -> Bool = { _ in false }
        /// Judges anew what is judged by the marks of these pictures.
        var marked: @Sendable (Set<String>?) async -> Void = { _ in }
    }

    private struct State {
        var last = 0
        var holders: [Int: Holder] = [:]
        var owners: [Delivery.ID: Int] = [:]
        var contents: [ContentKey: [Int]] = [:]
        var waiting: [Delivery.ID: [CheckedContinuation<Receipt?, Never>]] = [:]
        /// Of which contents deliveries have ended lately: whoever asked the ledger before that has an old answer.
        var endings = RecentEndings()
        /// The targets that each holder sends nothing to now, and why.
        var held: [Int: [String: IngestError]] = [:]
        /// For which marks deliveries wait at their holders.
        var waitingForMarks: [Delivery.ID: String] = [:]
        /// The events that contents are given to just now which waited for one, and by which schedulers.
        var events: [ContentKey: (event: String, givers: Set<Int>)] = [:]
    }
    /// What a run and its jobs have in common.
    private final class Shared: Sendable {
        private let state = Mutex(State())
        let leaving = Mutex<(@Sendable () -> Void)?>(nil)
        let names = NameRegister()

        func withLock<Value: Sendable>(_ body: (inout State) -> Value) -> Value { state.withLock { body(&$0) } }
    }
    private let state: Shared
    private let catalog: Mutex<StationClaims?>
    /// What the runs and jobs of this process have called their shots.
    var names: NameRegister { state.names }

    public init() {
        state = Shared()
        catalog = Mutex(nil)
    }

    private init(_ other: DeliveryLeases) {
        state = other.state
        catalog = Mutex(other.claims)
    }

    /// The same leases for a job that another process handed over; its claims are the run's until others are set,
    /// which are then the job's alone.
    public func lent() -> DeliveryLeases { DeliveryLeases(self) }

    /// What this process claims at a catalogue; nil without one.
    ///
    /// To be set before anything is sent.
    public var claims: StationClaims? {
        get { catalog.withLock(\.self) }
        set { catalog.withLock { $0 = newValue } }
    }

    /// `call` is told whenever a run or a job has given up what was left to it: that waits for somebody now.
    public func whenLeft(_ call: @escaping @Sendable () -> Void) { state.leaving.withLock { $0 = call } }

    /// A number for a new scheduler.
    func join() -> Int {
        state.withLock { state in
            state.last += 1
            return state.last
        }
    }

    func introduce(_ number: Int, _ holder: Holder) { state.withLock { $0.holders[number] = holder } }

    /// True when the delivery is `owner`'s from now on; false when it is another's.
    private static func take(_ id: Delivery.ID, by owner: Int, _ state: inout State) -> Bool {
        if let other = state.owners[id] { return other == owner }
        state.owners[id] = owner
        state.contents[id.content, default: []].append(owner)
        return true
    }

    /// Which of these deliveries of one content are `owner`'s from now on.
    ///
    /// Nil, and none is, where a delivery of these bytes has ended since `lastEnding` said `known`.
    func take(
        _ ids: [Delivery.ID], of content: ContentKey, by owner: Int, since known: Int?
    ) -> [Delivery.ID: DeliveryClaim]? {
        state.withLock { state in
            guard state.endings[content] == known else { return nil }
            return Dictionary(
                ids.map { ($0, Self.take($0, by: owner, &state) ? .ours : .anothers) }, uniquingKeysWith: { $1 })
        }
    }

    /// A number that is another one after every end of a delivery of these bytes in this process; nil where none ended
    /// lately.
    ///
    /// The ledger knew of it before.
    func lastEnding(of content: ContentKey) -> Int? { state.withLock { $0.endings[content] } }

    /// The delivery is final, or given up (nil): told to all who wait for it.
    func end(_ id: Delivery.ID, by owner: Int, _ receipt: Receipt?) {
        let waiting = state.withLock { Self.end(id, by: owner, &$0) }
        for one in waiting { one.resume(returning: receipt) }
        if receipt?.state != .done { claims?.drop([id]) }
    }

    private static func end(_ id: Delivery.ID, by owner: Int, _ state: inout State) -> [CheckedContinuation<
        Receipt?, Never
    >] {
        guard state.owners[id] == owner else { return [] }
        state.owners.drop(id)
        state.endings.note(id.content)
        state.waitingForMarks[id] = nil
        if var owners = state.contents[id.content], let index = owners.firstIndex(of: owner) {
            owners.remove(at: index)
            if owners.isEmpty { state.contents.drop(id.content) } else { state.contents[id.content] = owners }
        }
        return state.waiting.drop(id) ?? []
    }

    /// Gives up all that is left to `owner`, for good.
    func leave(_ owner: Int) {
        let (mine, waiting) = state.withLock { state in
            (state.holders[owner], state.held[owner]) = (nil, nil)
            for content in state.events.filter({ $0.value.givers.contains(owner) }).keys {
                Self.takeBack(content, by: owner, &state)
            }
            let mine = state.owners.filter { $0.value == owner }.map(\.key)
            return (mine, mine.flatMap { Self.end($0, by: owner, &state) })
        }
        for one in waiting { one.resume(returning: nil) }
        claims?.drop(mine)
        state.leaving.withLock(\.self)?()
    }

    /// What another's delivery comes to; nil when it is given up, or nobody's.
    func outcome(of id: Delivery.ID) async -> Receipt? {
        await withCheckedContinuation { continuation in
            let isNobodys = state.withLock { state in
                guard state.owners[id] != nil else { return true }
                state.waiting[id, default: []].append(continuation)
                return false
            }
            if isNobodys { continuation.resume(returning: nil) }
        }
    }

    /// Whether somebody, other than `owner`, has these bytes to deliver anywhere.
    func isTaken(_ content: ContentKey, except owner: Int? = nil) -> Bool {
        state.withLock { $0.contents[content]?.contains { $0 != owner } == true }
    }

    /// Whether somebody has that delivery.
    func isTaken(_ id: Delivery.ID) -> Bool { state.withLock { $0.owners[id] != nil } }

    /// With nil, it is no longer held; else other stations need not wait for what is claimed there.
    func note(held: IngestError?, _ target: String, by owner: Int) {
        state.withLock { $0.held[owner, default: [:]][target] = held }
        if held != nil { claims?.letGo(at: target) }
    }

    /// Whether somebody in this process has it, and sends it as soon as that can be done.
    public func isTaken(_ row: DeliveryRow) -> Bool {
        isTaken(Delivery.ID(content: row.content, target: row.target))
    }

    /// Why whoever has that delivery sends nothing to its target now; nil where it is sent.
    func holdReason(_ id: Delivery.ID) -> IngestError? {
        state.withLock { state in state.owners[id].flatMap { state.held[$0]?[id.target] } }
    }

    /// With nil, it waits for no mark any more.
    func note(waiting reason: String?, _ id: Delivery.ID, by owner: Int) {
        state.withLock { if $0.owners[id] == owner { $0.waitingForMarks[id] = reason } }
    }

    /// For which mark whoever has that delivery waits; nil where it is sent.
    func waitReason(_ id: Delivery.ID) -> String? { state.withLock { $0.waitingForMarks[id] } }

    /// Somebody marked these pictures: whoever has deliveries that are judged by that looks at them again.
    ///
    /// With nil, all that is judged by marks.
    public func marked(_ sha256s: Set<String>?) async {
        for holder in state.withLock({ Array($0.holders.values) }) { await holder.marked(sha256s) }
    }

    /// Lets everybody try again now what waits for the target of that name, nil = for every target, where these
    /// contents wait, nil = where anything does.
    ///
    /// With `anyway`, also what another station may have sent.
    func tryNow(_ target: String?, _ contents: Set<ContentKey>? = nil, anyway: Bool = false) async {
        for holder in state.withLock({ Array($0.holders.values) }) { await holder.tryNow(target, contents, anyway) }
    }

    /// Asks whoever has `old` to leave it to `heir`, as `new`.
    func cede(_ old: Delivery.ID, to new: Delivery.ID, for heir: Int) async {
        let holder = state.withLock { state in state.owners[old].flatMap { $0 == heir ? nil : state.holders[$0] } }
        await holder?.cede(old, new, heir)
    }

    /// The event that each of these contents has from now on, for as long as anybody who gave it to them goes on: the
    /// first that was said.
    ///
    /// Two that looked into the ledger before either had written anything down would each send them to its own; of two
    /// that name files of one shot the first gets them all.
    func assign(_ contents: Set<ContentKey>, to event: String, by owner: Int) -> [ContentKey: String] {
        state.withLock { state in
            var said: [ContentKey: String] = [:]
            for content in contents {
                said[content] = state.events[content]?.event ?? event
                if said[content] == event { state.events[content, default: (event, [])].givers.insert(owner) }
            }
            return said
        }
    }

    /// It turned out that they had another event before.
    func unassign(_ content: ContentKey, by owner: Int) { state.withLock { Self.takeBack(content, by: owner, &$0) } }

    private static func takeBack(_ content: ContentKey, by owner: Int, _ state: inout State) {
        state.events[content]?.givers.remove(owner)
        if state.events[content]?.givers.isEmpty == true { state.events.drop(content) }
    }

    /// Has whoever has that delivery end it as taken back; false when it is being sent just now, nil when nobody has
    /// it.
    func cancel(_ id: Delivery.ID) async -> Bool? {
        await state.withLock { state in state.owners[id].flatMap { state.holders[$0] } }?.cancel(id)
    }

    /// `owner` leaves `old` to `heir`, as `new`.
    func pass(_ old: Delivery.ID, by owner: Int, to new: Delivery.ID, of heir: Int) {
        let waiting = state.withLock { state in
            let waiting = Self.end(old, by: owner, &state)
            if state.owners[new] == nil {
                state.owners[new] = heir
                state.contents[new.content, default: []].append(heir)
            }
            return waiting
        }
        for one in waiting { one.resume(returning: nil) }
    }
}

/// Of which contents deliveries ended last, as hashes: a few hundred kilobytes at most, however long a run lasts.
struct RecentEndings {
    /// At least so many are kept, and at most twice as many.
    static let most = 4096
    private var last = 0, recent: [Int: Int] = [:], earlier: [Int: Int] = [:]

    var count: Int { recent.count + earlier.count }

    subscript(content: ContentKey) -> Int? { recent[content.hashValue] ?? earlier[content.hashValue] }

    mutating func note(_ content: ContentKey) {
        last += 1
        recent[content.hashValue] = last
        if recent.count >= Self.most { (recent, earlier) = ([:], recent) }
    }
}
