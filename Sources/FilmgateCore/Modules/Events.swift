/// One event of a gallery: a wedding, a match, an album.
public struct GalleryEvent: Sendable, Hashable {
    /// What the gallery calls it among programs.
    public var id: String
    /// What people call it.
    public var name: String
    /// As the gallery writes it; nil where it has none.
    public var date: String?
    /// What else a person should know before choosing it: that it is over.
    public var note: String?

    public init(id: String, name: String, date: String? = nil, note: String? = nil) {
        (self.id, self.name, self.date, self.note) = (id, name, date, note)
    }
}

/// A part of a gallery's list.
public struct EventPage: Sendable, Hashable {
    public var events: [GalleryEvent]
    /// Asks for the page after this one; nil when this is the last.
    public var next: String?
    public init(events: [GalleryEvent], next: String? = nil) { (self.events, self.next) = (events, next) }
}

/// A target whose gallery has events to choose from.
///
/// Once one is chosen the target is built with its id as the context's event, and told its name with each job.
public protocol EventDirectory: UploadTarget {
    /// Which gallery this is, whatever the event: kind and address, without secrets.
    var gallery: String { get }
    /// One page, in the gallery's own order; `page` is the `next` of the one before, nil for the first.
    ///
    /// Nil when these options leave nothing to choose.
    func events(_ page: String?) async throws(IngestError) -> EventPage?
    /// True where the gallery takes its own id and nothing else: `event` is a name still, and has to be looked up
    /// before anything is sent.
    func needsID(for event: String) -> Bool
}

extension EventDirectory {
    /// Galleries mostly take any name.
    public func needsID(for event: String) -> Bool { false }
}
