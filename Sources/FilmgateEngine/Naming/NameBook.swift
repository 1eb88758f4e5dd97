import FilmgateCore
import Synchronization

/// The names given out in this run and not yet on disk or in the ledger, and the counters.
///
/// Asked shot by shot in card order.
final class NameBook: Sendable {
    private struct Given {
        var content: ContentKey, shot: ShotMark
    }
    private struct Pages {
        var given: [String: [String: Given]] = [:]
        var counters: [String: Int] = [:]
        /// Contents that have a name at a target, as hashes.
        var promised: [String: Set<Int>] = [:]
        /// Those whose delivery has become final since names were chosen last.
        var final: Set<Parcel.ID> = []
        /// Targets that could not be asked what a name holds.
        var silent: Set<String> = []
    }
    private let pages = Mutex(Pages())

    func holder(of path: String, at target: String) -> ContentKey? {
        pages.withLock { $0.given[target]?[SafeName.folded(path)]?.content }
    }

    /// The shot of the file that has that name.
    func shot(at path: String, of target: String) -> ShotMark? { pages.withLock { $0.given[target]?[SafeName.folded(path)]?.shot } }

    func give(_ path: String, to content: ContentKey, at target: String, _ shot: ShotMark) {
        pages.withLock { pages in
            pages.given[target, default: [:]][SafeName.folded(path)] = Given(content: content, shot: shot)
            pages.promised[target, default: []].insert(content.hashValue)
        }
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
            pages.final.count + pages.promised.values.reduce(0) { $0 + $1.count } + pages.given.values.reduce(0) { $0 + $1.count }
        }
    }

    /// Once a delivery is final, the disk and the ledger remember its name.
    func release(_ parcel: Parcel) {
        pages.withLock { pages in
            let name = SafeName.folded(parcel.job.path)
            if pages.given[parcel.id.target]?[name]?.content == parcel.id.content { pages.given[parcel.id.target]?[name] = nil }
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
