import FilmgateCore
import Synchronization

/// The names and numbers that the runs and jobs of one process have given at targets, until the disk or the ledger remembers them.
///
/// A run and a job that was handed to it place shots at the same time, and neither finds in the ledger what the other is just sending. Each
/// has its own `NameReservations`; what one of them alone has here goes with it.
final class NameRegister: Sendable {
    private struct Given {
        var content: ContentKey, shot: ShotMark, stem: String?
        /// The books that gave it.
        var books: Set<Int>
    }
    private struct Claim {
        var shot: String, books: Set<Int>
    }
    /// What a shot is called, and the books that called it so.
    private struct Called {
        var name: ShotName, books: Set<Int>
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
    private struct Pages {
        var last = 0
        var given: [String: [String: Given]] = [:]
        /// Names by what they begin with.
        var stems: [String: [String: Set<String>]] = [:]
        /// Names that a target is just being asked about, and for which shot.
        var claims: [String: [String: Claim]] = [:]
        /// What shots were called, by target, event and shot.
        var shots: [String: [ShotKey: [String: Called]]] = [:]
        var counters: [Counter: Int] = [:]
        /// How many names each book has given.
        var gifts: [Int: Int] = [:]
    }
    private let pages = Mutex(Pages())

    /// A number for a new book.
    func join() -> Int {
        pages.withLock { pages in
            pages.last += 1
            pages.gifts[pages.last] = 0
            return pages.last
        }
    }

    /// The book is closed: the disk and the ledger remember what it had.
    func leave(_ reservations: Int) {
        pages.withLock { pages in
            pages.gifts[reservations] = nil
            for (target, names) in pages.given {
                for (name, given) in names where given.books.contains(reservations) {
                    Self.drop(name, at: target, of: reservations, &pages)
                }
            }
            for (target, claims) in pages.claims { pages.claims[target] = claims.compactMapValues { Self.without(reservations, $0) } }
            // What it never sent anything under is nobody's name.
            for (target, places) in pages.shots {
                pages.shots[target] = places.compactMapValues { shots in
                    let left = shots.compactMapValues { Self.without(reservations, $0) }
                    return left.isEmpty ? nil : left
                }
            }
        }
    }

    func holder(of path: String, at target: String) -> ContentKey? {
        pages.withLock { $0.given[target]?[SafeName.folded(path)]?.content }
    }

    /// The shot of the file that has that name.
    func shot(at path: String, of target: String) -> ShotMark? { pages.withLock { $0.given[target]?[SafeName.folded(path)]?.shot } }

    /// `stem`: what all files of its shot are called but for their extensions.
    func give(_ path: String, to content: ContentKey, at target: String, _ shot: ShotMark, stem: String?, by reservations: Int) {
        pages.withLock { pages in
            let name = SafeName.folded(path), stem = stem.map(SafeName.folded)
            let earlier = pages.given[target]?[name], others = earlier?.content == content ? earlier?.books ?? [] : []
            pages.given[target, default: [:]][name] = Given(content: content, shot: shot, stem: stem, books: others.union([reservations]))
            if let stem { pages.stems[target, default: [:]][stem, default: []].insert(name) }
            pages.gifts[reservations, default: 0] += 1
        }
    }

    /// Once a delivery is final, the disk and the ledger remember its name.
    func release(_ path: String, of content: ContentKey, at target: String, by reservations: Int) {
        pages.withLock { pages in
            let name = SafeName.folded(path)
            if pages.given[target]?[name]?.content == content { Self.drop(name, at: target, of: reservations, &pages) }
        }
    }

    private static func drop(_ name: String, at target: String, of reservations: Int, _ pages: inout Pages) {
        guard var given = pages.given[target]?[name] else { return }
        given.books.remove(reservations)
        pages.given[target]?[name] = given.books.isEmpty ? nil : given
        guard given.books.isEmpty, let stem = given.stem else { return }
        pages.stems[target]?[stem]?.remove(name)
        if pages.stems[target]?[stem]?.isEmpty == true { pages.stems[target]?[stem] = nil }
    }

    /// How many names other books than this one have given: what was found out before the last of them may be out of date.
    func gifts(but reservations: Int) -> Int {
        pages.withLock { $0.gifts.count < 2 ? 0 : $0.gifts.reduce(0) { $0 + ($1.key == reservations ? 0 : $1.value) } }
    }

    /// The files that were given such a name.
    func files(named stem: String, at target: String) -> [(content: ContentKey, shot: ShotMark)] {
        pages.withLock { pages in
            (pages.stems[target]?[SafeName.folded(stem)] ?? []).compactMap { pages.given[target]?[$0] }.map { ($0.content, $0.shot) }
        }
    }

    /// Keeps such names for the shot while its target is asked; false where another shot does.
    func claim(_ stem: String, at target: String, for shot: String, by reservations: Int) -> Bool {
        pages.withLock { pages in
            let stem = SafeName.folded(stem), other = pages.claims[target]?[stem]
            if let other, other.shot != shot { return false }
            pages.claims[target, default: [:]][stem] = Claim(shot: shot, books: (other?.books ?? []).union([reservations]))
            return true
        }
    }

    /// Asked: what it keeps has been given to it.
    func endClaims(of shot: String, at target: String, by reservations: Int) {
        pages.withLock { pages in
            guard let claims = pages.claims[target], !claims.isEmpty else { return }
            pages.claims[target] = claims.compactMapValues { $0.shot == shot ? Self.without(reservations, $0) : $0 }
        }
    }

    private static func without(_ reservations: Int, _ claim: Claim) -> Claim? {
        let books = claim.books.subtracting([reservations])
        return books.isEmpty ? nil : Claim(shot: claim.shot, books: books)
    }

    private static func without(_ reservations: Int, _ called: Called) -> Called? {
        let books = called.books.subtracting([reservations])
        return books.isEmpty ? nil : Called(name: called.name, books: books)
    }

    /// The shot has that name from now on.
    func note(_ name: ShotName, of shot: String, at target: String, event: String?, by reservations: Int) {
        pages.withLock { Self.call(shot, name, at: target, ShotKey(event, of: shot), by: reservations, &$0) }
    }

    private static func call(
        _ shot: String, _ name: ShotName, at target: String, _ key: ShotKey, by reservations: Int, _ pages: inout Pages
    ) {
        let books = pages.shots[target]?[key]?[shot]?.books ?? []
        pages.shots[target, default: [:]][key, default: [:]][shot] = Called(name: name, books: books.union([reservations]))
    }

    /// The ledger knows what that shot is called.
    ///
    /// It may not know another one of that place and stem, taken at another time.
    func forget(_ shot: String, at target: String, event: String?) {
        pages.withLock { pages in
            let key = ShotKey(event, of: shot)
            pages.shots[target]?[key]?[shot] = nil
            if pages.shots[target]?[key]?.isEmpty == true { pages.shots[target]?[key] = nil }
        }
    }

    /// The names that shots of that place and stem were given.
    func shotNames(below place: String, at target: String, event: String?) -> [(shot: String, name: ShotName)] {
        pages.withLock { ($0.shots[target]?[ShotKey(event, place)] ?? [:]).map { ($0.key, $0.value.name) } }
    }

    /// The number of that shot, a new one unless it has been given one meanwhile; `last` is what the ledger gave last.
    func number(of shot: String, at target: String, event: String?, after last: Int, by reservations: Int) -> Int {
        pages.withLock { pages in
            let key = ShotKey(event, of: shot), counter = Counter(target: target, event: event)
            if let given = pages.shots[target]?[key]?[shot]?.name, given.counter > 0 {
                Self.call(shot, given, at: target, key, by: reservations, &pages)
                return given.counter
            }
            let value = max(pages.counters[counter] ?? 0, last) + 1
            pages.counters[counter] = value
            Self.call(shot, ShotName(counter: value, suffix: 1, base: ""), at: target, key, by: reservations, &pages)
            return value
        }
    }

    /// How many names it holds.
    var count: Int {
        pages.withLock { pages in
            pages.shots.values.reduce(0) { $0 + $1.count } + pages.stems.values.reduce(0) { $0 + $1.count }
                + pages.given.values.reduce(0) { $0 + $1.count }
        }
    }
}
