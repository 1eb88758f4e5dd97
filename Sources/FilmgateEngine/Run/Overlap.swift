import FilmgateCore

/// A source inside a destination, or the reverse, would feed itself: refused before anything is read (design §4).
enum Overlap {
    static func refuse(places: [SourcePlace], targets: [PlannedTarget]) throws(IngestError) {
        for place in places {
            for target in targets {
                guard let root = target.traits.localRoot else { continue }
                if contains(root, place.address) || contains(place.address, root) {
                    throw IngestError(
                        .misconfigured, "The source \(place.address) and the destination \(root) lie inside one another.",
                        advice: "Choose a destination outside of the card.")
                }
            }
        }
    }

    /// True when `path` is the folder `outer` or lies below it.
    static func contains(_ outer: String, _ path: String) -> Bool {
        path == outer || path.hasPrefix(outer.hasSuffix("/") ? outer : outer + "/")
    }
}
