import FileKit
import FilmgateCore
import FilmgateEngine
import Foundation

/// The events of one gallery as one account saw them.
struct EventList: Codable {
    struct Item: Codable, Hashable {
        var id: String, name: String, date: String?, note: String?

        /// What it is called beside another of the same name.
        var longName: String { "\(name) (\(id.prefix(8)))" }
        func isMeant(by text: String) -> Bool { id == text || name == text || longName == text }
    }
    var gallery: String
    /// Whose list it is, as the provider names the account, or as the pipeline file names the sign-in where that is not
    /// known.
    var account: String
    /// The sign-ins that it was read with, as targets combine them.
    var uses: [[String]]
    /// Seconds since 1970.
    var fetched: Int
    /// False when there were more than were asked for.
    var isWhole: Bool
    var events: [Item]

    /// Where this list counts.
    var places: [EventPlace] { uses.map { EventPlace(gallery: gallery, signIns: $0) } }

    /// What an event is called here: its name, and where two have the same also its id.
    func label(_ item: Item) -> String {
        events.filter { $0.name == item.name }.count < 2 ? item.name : item.longName
    }

    /// The event that a person means by id, name or label; nil when none fits, or several.
    func find(_ text: String) -> Item? {
        if let exact = events.first(where: { $0.id == text }) { return exact }
        let found = events.filter { $0.isMeant(by: text) }
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
        guard let list = read(path(gallery, account)), list.gallery == gallery, list.account == account else {
            return nil
        }
        return list
    }

    func keep(_ list: EventList) throws(IngestError) {
        try DurableFile.makeDirectories(directory, mode: 0o700)
        guard let data = try? JSONEncoder().encode(list) else { return }
        try DurableFile.atomicWrite(Array(data).span.bytes, to: path(list.gallery, list.account), mode: 0o600)
    }

    /// Forgets what was read with a sign-in, but for what `account` saw; false where there was nothing.
    func wipe(auth name: String, unless account: String?) -> Bool {
        var isWiped = false
        for list in all() where list.places.contains(where: { $0.uses(name) }) && !EventIDs.isOf(account, list.account)
        {
            try? FileManager.default.removeItem(atPath: path(list.gallery, list.account))
            isWiped = true
        }
        return isWiped
    }

    private func read(_ path: String) -> EventList? {
        guard let data = FileManager.default.contents(atPath: path), data.count < 16 << 20 else { return nil }
        return try? JSONDecoder().decode(EventList.self, from: data)
    }

    /// A name, nothing more: what the file says it is about decides.
    private func path(_ gallery: String, _ account: String) -> String {
        "\(directory)/\(String(FNV1a.hash("\(gallery)\u{1F}\(account)".utf8), radix: 16)).json"
    }
}

/// What galleries call an event that people call `name`.
struct EventIDs {
    let state: String

    /// Those that were chosen, else those of the lists read before; of several lists for one place the newest counts.
    func ids(of name: String) -> [EventPlace: String] {
        var ids: [EventPlace: String] = [:], newest: [EventPlace: Int] = [:]
        for list in EventCache(state: state).all() {
            for place in list.places where newest[place] ?? .min <= list.fetched {
                (newest[place], ids[place]) = (list.fetched, list.find(name)?.id)
            }
        }
        let gate = ChosenEvent(state: state)
        guard gate.chosen == name else { return ids }
        for known in gate.chosenIDs { ids[known.place] = known.id }
        return ids
    }

    /// Forgets what was read and chosen with a sign-in, but for what `account` saw; false where there was nothing.
    ///
    /// `keepsName`: the event goes on being chosen by its name, and its ids are looked up anew.
    @discardableResult
    func forget(auth name: String, unless account: String? = nil, keepsName: Bool = false) throws(IngestError) -> Bool {
        let isWiped = EventCache(state: state).wipe(auth: name, unless: account)
        return try ChosenEvent(state: state).forget(auth: name, unless: account, keepsName: keepsName) || isWiped
    }

    /// Whether `account` is among those, as a list names them, who are signed in; nil is nobody.
    static func isOf(_ account: String?, _ accounts: String) -> Bool {
        guard let account else { return false }
        return accounts == account || accounts.hasPrefix(account + " ") || accounts.hasSuffix(" " + account)
            || accounts.contains(" \(account) ")
    }
}
