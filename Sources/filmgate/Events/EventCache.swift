import FileKit
import FilmgateCore
import Foundation

/// The events of one gallery as one account saw them.
struct EventList: Codable {
    struct Item: Codable, Hashable {
        var id: String, name: String, date: String?, note: String?
    }
    var gallery: String
    /// Whose list it is, as the provider names the account; "" where that is not known.
    var account: String
    /// The sign-ins that it was read with.
    var auth: [String]
    /// Seconds since 1970.
    var fetched: Int
    /// False when there were more than were asked for.
    var isWhole: Bool
    var events: [Item]

    /// What an event is called here: its name, and where two have the same also its id.
    func label(_ item: Item) -> String {
        events.filter { $0.name == item.name }.count < 2 ? item.name : "\(item.name) (\(item.id.prefix(8)))"
    }

    /// The event that a person means by id, name or label; nil when none fits, or several.
    func find(_ text: String) -> Item? {
        if let exact = events.first(where: { $0.id == text }) { return exact }
        let found = events.filter { $0.name == text || label($0) == text }
        return found.count == 1 ? found[0] : nil
    }
}

/// Lists of events that were read before: one file per gallery and account in the state directory.
struct EventCache {
    /// A list is not asked for again within so many seconds.
    static let freshness = 30
    private let directory: String

    init(state: String) { directory = state + "/events" }

    func all() -> [EventList] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.filter { $0.hasSuffix(".json") }.sorted().compactMap { read("\(directory)/\($0)") }
    }

    func list(_ gallery: String, account: String) -> EventList? {
        guard let list = read(path(gallery, account)), list.gallery == gallery, list.account == account else { return nil }
        return list
    }

    func keep(_ list: EventList) throws(IngestError) {
        try DurableFile.makeDirectories(directory, mode: 0o700)
        guard let data = try? JSONEncoder().encode(list) else { return }
        try DurableFile.atomicWrite(Array(data).span.bytes, to: path(list.gallery, list.account), mode: 0o600)
    }

    /// Forgets what was read with a sign-in; the galleries that it was about.
    func wipe(auth name: String) -> Set<String> {
        var wiped: Set<String> = []
        for list in all() where list.auth.contains(name) {
            try? FileManager.default.removeItem(atPath: path(list.gallery, list.account))
            wiped.insert(list.gallery)
        }
        return wiped
    }

    private func read(_ path: String) -> EventList? {
        guard let data = FileManager.default.contents(atPath: path), data.count < 16 << 20 else { return nil }
        return try? JSONDecoder().decode(EventList.self, from: data)
    }

    /// FNV-1a: a name for a text, nothing more; what the file says it is about decides.
    private func path(_ gallery: String, _ account: String) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in "\(gallery)\u{1F}\(account)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return "\(directory)/\(String(hash, radix: 16)).json"
    }
}

/// What galleries call an event that people call `name`.
struct EventBook {
    let state: String

    /// Ids by gallery: those that were chosen, else those of the lists read before.
    ///
    /// Where two accounts disagree, none.
    func ids(of name: String) -> [String: String] {
        var ids: [String: String] = [:], unsure: Set<String> = []
        for list in EventCache(state: state).all() {
            guard let id = list.find(name)?.id else { continue }
            if let other = ids[list.gallery], other != id { unsure.insert(list.gallery) }
            ids[list.gallery] = id
        }
        for gallery in unsure { ids[gallery] = nil }
        let gate = EventGate(state: state)
        return gate.chosen == name ? ids.merging(gate.chosenIDs) { $1 } : ids
    }
}
