import FilmgateCore

/// Stands in a name for the event that is not known yet: a scalar that no name from outside carries to a target.
enum EventSlot {
    static let marker = "\u{F0000}"

    /// The name once the event is known.
    static func filled(_ path: String, with event: String) -> String {
        guard path.contains(marker) else { return path }
        let safe = SafeName.component(event)
        return path.split(separator: "/", omittingEmptySubsequences: false).map { part in
            part.contains(marker) ? SafeName.component(String(part).replacing(marker, with: safe)) : String(part)
        }.joined(separator: "/")
    }
}
