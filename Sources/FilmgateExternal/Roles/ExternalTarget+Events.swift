import FilmgateCore
import HTTPKit

extension ExternalTarget: EventDirectory {
    /// A module that lists events is given their ids.
    func needsID(for event: String) -> Bool { true }

    func events(_ page: String?) async throws(IngestError) -> EventPage? {
        guard let answer = try await ask("events", ["after": .text(page)]) else { return nil }
        guard let items = answer["events"]?.items else {
            throw IngestError(.unavailable, "The module `\(name)` lists no events.")
        }
        let events = items.prefix(1000).compactMap { item -> GalleryEvent? in
            guard let id = item["id"]?.text, let name = item["name"]?.text else { return nil }
            let event = GalleryEvent(
                id: id, name: Reported.shown(name), date: item["date"]?.text.map(Reported.shown))
            return id.isEmpty || !AssetText.canBeKept(id) || event.name.isEmpty ? nil : event
        }
        return EventPage(events: events, next: answer["next"]?.string)
    }
}
