import FilmgateCore
import Synchronization

/// The names given out in this run and not yet on disk or in the ledger, and the counters.
///
/// Asked shot by shot in card order.
final class NameBook: Sendable {
    private struct Given {
        var content: ContentKey, shot: ShotMark, stem: String?
    }
    private struct Pages {
        var given: [String: [String: Given]] = [:]
        /// Names by what they begin with.
        var stems: [String: [String: Set<String>]] = [:]
        /// Names that a target is just being asked about, and for which shot.
        var claims: [String: [String: String]] = [:]
        /// What shots were called, by target, event and shot, until the ledger knows.
        var shots: [String: [ShotKey: [String: ShotName]]] = [:]
        var counters: [String: Int] = [:]
        /// Contents that have a name at a target, as hashes.
        var promised: [String: Set<Int>] = [:]
        /// Those whose delivery has become final since names were chosen last.
        var final: Set<Parcel.ID> = []
        /// Targets that could not be asked what a name holds.
        var silent: Set<String> = []
    }
    /// Shots of one place and stem, whatever moment they were taken at.
    private struct ShotKey: Hashable {
        var event: String?, place: String
        init(_ event: String?, _ place: String) { (self.event, self.place) = (event, place) }
        init(_ event: String?, of shot: String) { self.init(event, Placer.shotPlace(shot)) }
    }
    private let pages = Mutex(Pages())

    func holder(of path: String, at target: String) -> ContentKey? {
        pages.withLock { $0.given[target]?[SafeName.folded(path)]?.content }
    }

    /// The shot of the file that has that name.
    func shot(at path: String, of target: String) -> ShotMark? { pages.withLock { $0.given[target]?[SafeName.folded(path)]?.shot } }

    /// `stem`: what all files of its shot are called but for their extensions.
    func give(_ path: String, to content: ContentKey, at target: String, _ shot: ShotMark, stem: String? = nil) {
        pages.withLock { pages in
            let name = SafeName.folded(path), stem = stem.map(SafeName.folded)
            pages.given[target, default: [:]][name] = Given(content: content, shot: shot, stem: stem)
            if let stem { pages.stems[target, default: [:]][stem, default: []].insert(name) }
            pages.promised[target, default: []].insert(content.hashValue)
        }
    }

    /// The files that were given such a name in this run.
    func files(named stem: String, at target: String) -> [(content: ContentKey, shot: ShotMark)] {
        pages.withLock { pages in
            (pages.stems[target]?[SafeName.folded(stem)] ?? []).compactMap { pages.given[target]?[$0] }.map { ($0.content, $0.shot) }
        }
    }

    /// Keeps such names for the shot while its target is asked; false where another shot does.
    func claim(_ stem: String, at target: String, for shot: String) -> Bool {
        pages.withLock { pages in
            let stem = SafeName.folded(stem)
            if let other = pages.claims[target]?[stem], other != shot { return false }
            pages.claims[target, default: [:]][stem] = shot
            return true
        }
    }

    /// Asked: what it keeps has been given to it.
    func endClaims(of shot: String, at target: String) {
        pages.withLock { pages in
            guard let claims = pages.claims[target], !claims.isEmpty else { return }
            pages.claims[target] = claims.filter { $0.value != shot }
        }
    }

    /// The shot has that name from now on.
    func note(_ name: ShotName, of shot: String, at target: String, event: String?) {
        pages.withLock { $0.shots[target, default: [:]][ShotKey(event, of: shot), default: [:]][shot] = name }
    }

    /// The names that shots of that place and stem were given in this run.
    func shotNames(below place: String, at target: String, event: String?) -> [(shot: String, name: ShotName)] {
        pages.withLock { ($0.shots[target]?[ShotKey(event, place)] ?? [:]).map { ($0.key, $0.value) } }
    }

    /// True when these bytes got their name from an earlier file of this run: they need no second one.
    func isPromised(_ content: ContentKey, at target: String) -> Bool {
        pages.withLock { $0.promised[target]?.contains(content.hashValue) == true }
    }

    /// A shot's names are about to be chosen, by what the ledger knows from now on: what was final before needs no second memory.
    func beginPlacing() {
        pages.withLock { pages in
            for id in pages.final { pages.promised[id.target]?.remove(id.content.hashValue) }
            pages.final = []
        }
    }

    /// The delivery is final, and the ledger knows.
    func conclude(_ id: Parcel.ID) { pages.withLock { _ = $0.final.insert(id) } }

    /// Became final since names were chosen last: whoever chose them may not have seen it in the ledger yet.
    func isConcluded(_ id: Parcel.ID) -> Bool { pages.withLock { $0.final.contains(id) } }

    /// How many deliveries and names it remembers.
    var count: Int {
        pages.withLock { pages in
            pages.final.count + pages.shots.values.reduce(0) { $0 + $1.count } + pages.stems.values.reduce(0) { $0 + $1.count }
                + pages.promised.values.reduce(0) { $0 + $1.count } + pages.given.values.reduce(0) { $0 + $1.count }
        }
    }

    /// Once a delivery is final, the disk and the ledger remember its name.
    func release(_ parcel: Parcel) {
        pages.withLock { pages in
            let name = SafeName.folded(parcel.job.path)
            if let shot = parcel.name?.shot, parcel.name?.isGiven == true {
                pages.shots[parcel.id.target]?[ShotKey(parcel.job.event, of: shot)] = nil
            }
            guard let given = pages.given[parcel.id.target]?[name], given.content == parcel.id.content else { return }
            pages.given[parcel.id.target]?[name] = nil
            guard let stem = given.stem else { return }
            pages.stems[parcel.id.target]?[stem]?.remove(name)
            if pages.stems[parcel.id.target]?[stem]?.isEmpty == true { pages.stems[parcel.id.target]?[stem] = nil }
        }
    }

    /// It did not answer, and nothing has got through to it since.
    func isSilent(_ target: String) -> Bool { pages.withLock { $0.silent.contains(target) } }

    func note(silent: Bool, _ target: String) {
        pages.withLock { pages in
            if silent { pages.silent.insert(target) } else { pages.silent.remove(target) }
        }
    }

    /// The next value of `{counter}`; `last` is what the ledger gave last.
    func nextCounter(_ target: String, event: String?, after last: Int) -> Int {
        pages.withLock { pages in
            let key = target + "\u{1F}" + (event ?? "")
            let value = max(pages.counters[key] ?? 0, last) + 1
            pages.counters[key] = value
            return value
        }
    }
}
