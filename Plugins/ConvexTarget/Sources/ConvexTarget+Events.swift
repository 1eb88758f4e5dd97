public import FilmgateCore
import HTTPKit

extension ConvexTarget: EventDirectory {
    public var gallery: String { "convex:\(WebAddress(options.url.base)?.origin ?? options.url.base)" }

    public func needsID(for event: String) -> Bool { !options.events.isEmpty }

    /// What the query `events` returns: a list, or the pages of one.
    public func events(_ page: String?) async throws(IngestError) -> EventPage? {
        guard !options.events.isEmpty else { return nil }
        var args: JSONObject = [:]
        if let size = options.eventsPage {
            let cursor: JSONValue = page.map { .string($0) } ?? .null
            args["paginationOpts"] = .object(["numItems": .integer(Int64(size)), "cursor": cursor])
        }
        let answer = try await call("query", options.events, args)
        let list = answer["page"] ?? answer
        guard case .array(let items) = list else {
            throw IngestError(.rejected, "`\(options.events)` returned no list of events.")
        }
        let events = items.compactMap { item -> GalleryEvent? in
            guard let id = item["_id"]?.text ?? item["id"]?.text, let name = item["name"]?.text ?? item["title"]?.text
            else { return nil }
            return GalleryEvent(
                id: HeaderText.clean(id), name: HeaderText.clean(name), date: item["date"]?.text.map(HeaderText.clean))
        }
        let isLast = options.eventsPage == nil || answer["isDone"] != .bool(false)
        return EventPage(events: events, next: isLast ? nil : answer["continueCursor"]?.text)
    }
}
