import FilmgateCore
import Synchronization

/// The names given out in this run and not yet on disk or in the ledger, and the counters.
///
/// Asked shot by shot in card order.
final class NameBook: Sendable {
    private struct Pages {
        var given: [String: [String: ContentKey]] = [:]
        var counters: [String: Int] = [:]
        /// Contents that have a name at a target, as hashes.
        var promised: [String: Set<Int>] = [:]
        /// Targets that could not be asked what a name holds.
        var silent: Set<String> = []
    }
    private let pages = Mutex(Pages())

    func holder(of path: String, at target: String) -> ContentKey? { pages.withLock { $0.given[target]?[SafeName.folded(path)] } }

    func give(_ path: String, to content: ContentKey, at target: String) {
        pages.withLock { pages in
            pages.given[target, default: [:]][SafeName.folded(path)] = content
            pages.promised[target, default: []].insert(content.hashValue)
        }
    }

    /// True when these bytes got their name from an earlier file of this run: they need no second one.
    func isPromised(_ content: ContentKey, at target: String) -> Bool {
        pages.withLock { $0.promised[target]?.contains(content.hashValue) == true }
    }

    /// Once a delivery is final, the disk and the ledger remember its name.
    func release(_ parcel: Parcel) {
        pages.withLock { pages in
            let name = SafeName.folded(parcel.job.path)
            if pages.given[parcel.id.target]?[name] == parcel.id.content { pages.given[parcel.id.target]?[name] = nil }
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
