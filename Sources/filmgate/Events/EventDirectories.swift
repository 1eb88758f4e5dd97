import FilmgateCore
import FilmgateEngine
import Foundation

/// Asks the galleries of pipelines for their events, and remembers the answers.
struct EventDirectories {
    /// A target with a list of events.
    struct Directory: Sendable {
        var target: String
        var directory: any EventDirectory
        /// Who is signed in there.
        var account: String
        /// Where this account's list counts: targets may use it by sign-ins of different names.
        var places: [EventPlace]
    }
    struct Answer {
        var target: String
        /// Nil when the gallery could not be asked and nothing is known of it.
        var list: EventList?
        var trouble: IngestError?
        /// Events that were looked through now, and whether there were no more: what is not listed beyond `limit` may
        /// have been seen.
        var seen = 0, isSeenWhole = false
    }

    let context: CommandContext
    /// Events that are asked for, per gallery.
    var limit = 1000

    private var cache: EventCache { EventCache(state: context.state) }

    /// The galleries of these pipelines, each once for each account.
    ///
    /// What was remembered of an account that is signed in no more is forgotten.
    func directories(_ pipelines: [PipelineFile]) async throws(IngestError) -> [Directory] {
        var found: [Directory] = []
        for pipeline in pipelines {
            let plan = try context.builder(ledger: nil).plan(pipeline)
            for (name, target) in plan.connections {
                guard let directory = target as? any EventDirectory, let use = pipeline.target(name) else { continue }
                let auth = context.registry.entry(.target, use.module)?.references(use.node).map(\.name) ?? []
                var accounts: [String] = [], entries: [(name: String, account: String?)] = []
                for entry in auth {
                    let provider = plan.signIns.first { $0.name == entry }?.provider
                    accounts.append(await account(entry, provider))
                    entries.append((entry, provider?.account))
                }
                let account = accounts.joined(separator: " "), place = EventPlace(directory.gallery, entries)
                if let same = found.firstIndex(where: {
                    $0.directory.gallery == directory.gallery && $0.account == account
                }) {
                    if !found[same].places.contains(place) { found[same].places.append(place) }
                } else {
                    found.append(Directory(target: name, directory: directory, account: account, places: [place]))
                }
            }
        }
        return found
    }

    /// Nobody else's list is taken for that of an account that is not known: then the sign-in's name stands for it.
    private func account(_ entry: String, _ provider: (any AuthProvider)?) async -> String {
        guard let session = provider as? any AccountProvider,
            case .signedIn(let account)? = try? await session.restore(validating: false).state
        else { return provider?.account ?? "sign-in \(entry)" }
        // Where the file names the account, the place tells one from the other.
        if session.account == nil {
            _ = try? EventIDs(state: context.state).forget(
                auth: entry, unless: account.id, keepsName: true)
        }
        return account.id
    }

    /// What is remembered of this gallery and account, for all targets that use them.
    func remembered(_ one: Directory) -> EventList? {
        guard var known = cache.list(one.directory.gallery, account: one.account) else { return nil }
        let uses = Self.uses(one, known)
        guard uses != known.uses else { return known }
        known.uses = uses
        try? cache.keep(known)
        return known
    }

    private static func uses(_ one: Directory, _ known: EventList?) -> [[String]] {
        let before = known?.uses ?? []
        return before + one.places.map(\.signIns).filter { !before.contains($0) }
    }

    /// What is remembered, where it is fresh; else what the gallery says now, and if it cannot be asked what is
    /// remembered all the same.
    ///
    /// Nil where there is nothing to choose. `seeking`: events that are looked for beyond `limit`, too; those found
    /// there are listed.
    func answer(_ one: Directory, refresh: Bool, seeking: [String] = []) async -> Answer? {
        let known = remembered(one)
        if let known, !refresh, abs(Int(Date().timeIntervalSince1970) - known.fetched) < EventCache.freshness,
            known.isWhole || known.events.count >= limit
        {
            return Answer(target: one.target, list: known)
        }
        switch await read(one.directory, seeking) {
        case .success(nil): return nil
        case .success(let found?):
            let items = found.events.map { EventList.Item(id: $0.id, name: $0.name, date: $0.date, note: $0.note) }
            let further = items.dropFirst(limit).filter { item in seeking.contains { item.isMeant(by: $0) } }
            let list = EventList(
                gallery: one.directory.gallery, account: one.account, uses: Self.uses(one, known),
                fetched: Int(Date().timeIntervalSince1970), isWhole: found.isWhole && items.count <= limit,
                events: items.prefix(limit) + further)
            try? cache.keep(list)
            return Answer(target: one.target, list: list, seen: items.count, isSeenWhole: found.isWhole)
        case .failure(let error): return Answer(target: one.target, list: known, trouble: error)
        }
    }
}
