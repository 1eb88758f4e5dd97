import FileKit
import FilmgateCore

/// A source inside a destination, or the reverse, would feed itself: refused before anything is read.
struct Overlap {
    static let advice = "Choose a destination outside of what is taken, and not around it."
    let message: String
    /// The destination lies inside the source, and not the reverse.
    let isAround: Bool

    /// What is wrong with taking all of `folder`, or with `takesAll` false single files in it, while delivering to
    /// `targets`.
    init?(_ folder: String, takesAll: Bool = true, targets: [(name: String, traits: TargetTraits)]) {
        for (name, traits) in targets {
            guard let root = traits.localRoot else { continue }
            let isInside = FileSystem.encloses(root, folder), shown = PathText.shown(folder)
            let holds = takesAll && FileSystem.encloses(folder, root)
            if holds, !isInside {
                isAround = true
                message =
                    "The source \(shown) holds the target `\(name)`, \(PathText.shown(root)): what is delivered there would be taken again."
                return
            }
            if isInside {
                isAround = false
                message =
                    holds
                    ? "The source \(shown) is the folder of the target `\(name)` itself."
                    : "The source \(shown) lies inside the target `\(name)`, \(PathText.shown(root))."
                return
            }
        }
        return nil
    }

    /// Throws where `place` must not be taken from; gives what to tell where it is left out and the run goes on, nil
    /// where all is well.
    ///
    /// A disk that only turned up among the cards, and that a target is on, is no card.
    static func remark(on place: SourcePlace, targets: [PlannedTarget]) throws(IngestError) -> IngestError? {
        // A camera's address is no path.
        guard place.address.hasPrefix("/"),
            let found = Overlap(place.address, takesAll: place.takesAll, targets: targets.map { ($0.name, $0.traits) })
        else { return nil }
        guard place.isFound, found.isAround else { throw IngestError(.misconfigured, found.message, advice: advice) }
        return IngestError(
            .misconfigured, "Left out: " + found.message, advice: "If it is a card, choose a destination outside of it."
        )
    }
}
