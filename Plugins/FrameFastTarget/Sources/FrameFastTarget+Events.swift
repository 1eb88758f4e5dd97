public import FilmgateCore
import HTTPKit

extension FrameFastTarget: EventDirectory {
    public var gallery: String { "framefast:\(options.url.base)" }

    /// Events are UUIDs at the service.
    public func needsID(for event: String) -> Bool {
        let parts = event.split(separator: "-", omittingEmptySubsequences: false)
        let isID = parts.map(\.utf8.count) == [8, 4, 4, 4, 12] && parts.allSatisfy { $0.allSatisfy(\.isHexDigit) }
        return options.event.isEmpty && !isID
    }

    /// The account's own events, the newest first; nothing where the options name one.
    public func events(_ page: String?) async throws(IngestError) -> EventPage? {
        guard options.event.isEmpty else { return nil }
        let number = page.flatMap { Int($0) } ?? 0
        let answer = try await api.ask("GET", "/events?page=\(number)&limit=100")
        guard case .array(let items)? = answer["data"] else {
            throw IngestError(.unavailable, "FrameFast's answer holds no list of events.")
        }
        let events = items.compactMap { item -> GalleryEvent? in
            guard let id = item["id"]?.text, let name = item["name"]?.text else { return nil }
            var event = GalleryEvent(
                id: HeaderText.clean(id), name: HeaderText.clean(name),
                date: item["startDate"]?.text.map(HeaderText.clean))
            if let end = item["expiresAt"]?.text { event.note = "until \(HeaderText.clean(String(end.prefix(10))))" }
            return event
        }
        let goesOn = answer.at("pagination.hasNextPage") == .bool(true)
        return EventPage(events: events, next: goesOn ? String(number + 1) : nil)
    }
}
