import FilmgateCore
import Synchronization

/// The names and numbers that runs and jobs of one process have given at targets, until disk or ledger remember them.
///
/// A run and a job that was handed to it place shots at the same time, and neither finds in the ledger what the other
/// is just sending. Each has its own `NameReservations`, the owner of what it gives; what one of them alone has here
/// goes with it.
final class NameRegister: Sendable {
    private struct Given {
        var content: ContentKey, shot: ShotIdentity, stem: String?
        /// Which `NameReservations` gave it, by their numbers.
        var owners: Set<Int>
    }
    private struct Claim {
        var shot: String, owners: Set<Int>
    }
    /// What a shot is called, and which `NameReservations` called it so.
    private struct Called {
        var name: ShotName, owners: Set<Int>
    }
    /// Shots of one place and stem, whatever moment they were taken at.
    private struct ShotKey: Hashable {
        var event: String?, place: String
        init(_ event: String?, _ place: String) { (self.event, self.place) = (event, place) }
        init(_ event: String?, of shot: String) { self.init(event, NamePlanner.shotPlace(shot)) }
    }
    private struct Counter: Hashable {
        var target: String, event: String?
    }
    /// What one `NameReservations` has for itself.
    private struct Own {
        /// Contents that it gave a name, by target, as hashes: equal bytes need no second name.
        var promised: [String: Set<Int>] = [:]
        /// Those whose delivery has become final since names were chosen last.
        var final: Set<Delivery.ID> = []
        /// How many names it has given.
        var gifts = 0
    }
    private struct State {
        var last = 0, owners: [Int: Own] = [:]
        var given: [String: [String: Given]] = [:]
        /// Names by what they begin with.
        var stems: [String: [String: Set<String>]] = [:]
        /// Names that a target is just being asked about, and for which shot.
        var claims: [String: [String: Claim]] = [:]
        /// What shots were called, by target, event and shot.
        var shots: [String: [ShotKey: [String: Called]]] = [:]
        var counters: [Counter: Int] = [:]
    }
    private let state = Mutex(State())

    /// The number of a new `NameReservations`: it is the `owner` of what that one gives.
    func join() -> Int {
        state.withLock { state in
            state.last += 1
            state.owners[state.last] = Own()
            return state.last
        }
    }

    /// `owner` is gone: the disk and the ledger remember what it had.
    func leave(_ owner: Int) {
        state.withLock { state in
            state.owners[owner] = nil
            for (target, names) in state.given {
                for (name, given) in names where given.owners.contains(owner) {
                    Self.drop(name, at: target, of: owner, &state)
                }
            }
            for (target, claims) in state.claims {
                state.claims[target] = claims.compactMapValues { Self.without(owner, $0) }
            }
            // What it never sent anything under is nobody's name.
            for (target, places) in state.shots {
                state.shots[target] = places.compactMapValues { shots in
                    let left = shots.compactMapValues { Self.without(owner, $0) }
                    return left.isEmpty ? nil : left
                }
            }
        }
    }

    func holder(of path: String, at target: String) -> ContentKey? {
        state.withLock { $0.given[target]?[SafeName.folded(path)]?.content }
    }

    /// The shot of the file that has that name.
    func shot(at path: String, of target: String) -> ShotIdentity? {
        state.withLock { $0.given[target]?[SafeName.folded(path)]?.shot }
    }

    /// `stem`: what all files of its shot are called but for their extensions.
    func give(
        _ path: String, to content: ContentKey, at target: String, _ shot: ShotIdentity, stem: String?, by owner: Int
    ) {
        state.withLock { state in
            let name = SafeName.folded(path), stem = stem.map(SafeName.folded)
            let earlier = state.given[target]?[name], others = earlier?.content == content ? earlier?.owners ?? [] : []
            state.given[target, default: [:]][name] = Given(
                content: content, shot: shot, stem: stem, owners: others.union([owner]))
            if let stem { state.stems[target, default: [:]][stem, default: []].insert(name) }
            state.owners[owner]?.gifts += 1
            state.owners[owner]?.promised[target, default: []].insert(content.hashValue)
        }
    }

    /// Once a delivery is final, the disk and the ledger remember its name.
    func release(_ path: String, of content: ContentKey, at target: String, by owner: Int) {
        state.withLock { state in
            let name = SafeName.folded(path)
            if state.given[target]?[name]?.content == content { Self.drop(name, at: target, of: owner, &state) }
        }
    }

    private static func drop(_ name: String, at target: String, of owner: Int, _ state: inout State) {
        guard var given = state.given[target]?[name] else { return }
        given.owners.remove(owner)
        state.given[target]?[name] = given.owners.isEmpty ? nil : given
        guard given.owners.isEmpty, let stem = given.stem else { return }
        state.stems[target]?[stem]?.remove(name)
        if state.stems[target]?[stem]?.isEmpty == true { state.stems[target]?[stem] = nil }
    }

    /// How many names others than `owner` have given.
    ///
    /// What was found out before the last of them may be out of date.
    func gifts(but owner: Int) -> Int {
        state.withLock { state in
            state.owners.count < 2 ? 0 : state.owners.reduce(0) { $0 + ($1.key == owner ? 0 : $1.value.gifts) }
        }
    }

    /// The files that were given such a name.
    func files(named stem: String, at target: String) -> [(content: ContentKey, shot: ShotIdentity)] {
        state.withLock { state in
            (state.stems[target]?[SafeName.folded(stem)] ?? []).compactMap { state.given[target]?[$0] }.map {
                ($0.content, $0.shot)
            }
        }
    }

    /// Keeps such names for the shot while its target is asked; false where another shot does.
    func claim(_ stem: String, at target: String, for shot: String, by owner: Int) -> Bool {
        state.withLock { state in
            let stem = SafeName.folded(stem), other = state.claims[target]?[stem]
            if let other, other.shot != shot { return false }
            state.claims[target, default: [:]][stem] = Claim(shot: shot, owners: (other?.owners ?? []).union([owner]))
            return true
        }
    }

    /// Asked: what it keeps has been given to it.
    func endClaims(of shot: String, at target: String, by owner: Int) {
        state.withLock { state in
            guard let claims = state.claims[target], !claims.isEmpty else { return }
            state.claims[target] = claims.compactMapValues { $0.shot == shot ? Self.without(owner, $0) : $0 }
        }
    }

    private static func without(_ owner: Int, _ claim: Claim) -> Claim? {
        let owners = claim.owners.subtracting([owner])
        return owners.isEmpty ? nil : Claim(shot: claim.shot, owners: owners)
    }

    private static func without(_ owner: Int, _ called: Called) -> Called? {
        let owners = called.owners.subtracting([owner])
        return owners.isEmpty ? nil : Called(name: called.name, owners: owners)
    }

    /// The shot has that name from now on.
    func note(_ name: ShotName, of shot: String, at target: String, event: String?, by owner: Int) {
        state.withLock { Self.call(shot, name, at: target, ShotKey(event, of: shot), by: owner, &$0) }
    }

    private static func call(
        _ shot: String, _ name: ShotName, at target: String, _ key: ShotKey, by owner: Int, _ state: inout State
    ) {
        let owners = state.shots[target]?[key]?[shot]?.owners ?? []
        state.shots[target, default: [:]][key, default: [:]][shot] = Called(name: name, owners: owners.union([owner]))
    }

    /// The ledger knows what that shot is called.
    ///
    /// It may not know another one of that place and stem, taken at another time.
    func forget(_ shot: String, at target: String, event: String?) {
        state.withLock { state in
            let key = ShotKey(event, of: shot)
            state.shots[target]?[key]?[shot] = nil
            if state.shots[target]?[key]?.isEmpty == true { state.shots[target]?[key] = nil }
        }
    }

    /// The names that shots of that place and stem were given.
    func shotNames(below place: String, at target: String, event: String?) -> [(shot: String, name: ShotName)] {
        state.withLock { ($0.shots[target]?[ShotKey(event, place)] ?? [:]).map { ($0.key, $0.value.name) } }
    }

    /// The number of that shot, a new one unless it has been given one meanwhile; `last` is what the ledger gave last.
    func number(of shot: String, at target: String, event: String?, after last: Int, by owner: Int) -> Int {
        state.withLock { state in
            let key = ShotKey(event, of: shot), counter = Counter(target: target, event: event)
            if let given = state.shots[target]?[key]?[shot]?.name, given.counter > 0 {
                Self.call(shot, given, at: target, key, by: owner, &state)
                return given.counter
            }
            let value = max(state.counters[counter] ?? 0, last) + 1
            state.counters[counter] = value
            Self.call(shot, ShotName(counter: value, suffix: 1, base: ""), at: target, key, by: owner, &state)
            return value
        }
    }

    /// How many names it holds.
    var count: Int {
        state.withLock { state in
            state.shots.values.reduce(0) { $0 + $1.count } + state.stems.values.reduce(0) { $0 + $1.count }
                + state.given.values.reduce(0) { $0 + $1.count }
        }
    }
    // MARK: What an owner has for itself

    /// True when these bytes got a name from it before.
    func isPromised(_ content: ContentKey, at target: String, by owner: Int) -> Bool {
        state.withLock { $0.owners[owner]?.promised[target]?.contains(content.hashValue) == true }
    }

    /// By what the ledger knows from now on: what was final before needs no second memory.
    func beginPlacing(by owner: Int) {
        state.withLock { state in
            for id in state.owners[owner]?.final ?? [] {
                state.owners[owner]?.promised[id.target]?.remove(id.content.hashValue)
            }
            state.owners[owner]?.final = []
        }
    }

    /// The delivery is final, and the ledger knows.
    func conclude(_ id: Delivery.ID, by owner: Int) {
        state.withLock { _ = $0.owners[owner]?.final.insert(id) }
    }

    /// Became final since it chose names last.
    func isConcluded(_ id: Delivery.ID, by owner: Int) -> Bool {
        state.withLock { $0.owners[owner]?.final.contains(id) == true }
    }

    /// How many deliveries and names it has for itself.
    func count(of owner: Int) -> Int {
        state.withLock { state in
            let own = state.owners[owner] ?? Own()
            return own.final.count + own.promised.values.reduce(0) { $0 + $1.count }
        }
    }
}
