public import FilmgateCore
import HTTPKit

extension ImmichTarget: EventDirectory {
    public var gallery: String { "immich:\(api.root)" }

    /// The albums, by name, where the album of a file is its event and nothing else.
    public func events(_ page: String?) async throws(IngestError) -> EventPage? {
        guard options.album?.source == "{event}" else { return nil }
        let items = try await api.ownAlbums()
        // An album is found by its name when files go into it, so its name is what stands for it here too.
        let events = items.compactMap { item -> GalleryEvent? in
            guard let name = item["albumName"]?.text.map(HeaderText.clean), !name.isEmpty else { return nil }
            return GalleryEvent(
                id: name, name: name, date: item["startDate"]?.text.map { HeaderText.clean(String($0.prefix(10))) })
        }
        return EventPage(events: events)
    }
}
