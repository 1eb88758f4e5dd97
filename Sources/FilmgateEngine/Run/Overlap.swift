import FileKit
import FilmgateCore

/// A source inside a destination, or the reverse, would feed itself: refused before anything is read (design §4).
struct Overlap {
    static let advice = "Choose a destination outside of what is taken, and not around it."
    let message: String

    /// What is wrong with taking all of `folder`, or with `takesAll` false single files in it, while delivering to `targets`.
    init?(_ folder: String, takesAll: Bool = true, targets: [(name: String, traits: TargetTraits)]) {
        for (name, traits) in targets {
            guard let root = traits.localRoot else { continue }
            if takesAll, FileSystem.encloses(folder, root) {
                message =
                    FileSystem.encloses(root, folder)
                    ? "The source \(PathText.shown(folder)) is the folder of the target `\(name)` itself."
                    : "The source \(PathText.shown(folder)) holds the target `\(name)`, \(PathText.shown(root)): what is delivered there "
                        + "would be taken again."
                return
            }
            if FileSystem.encloses(root, folder) {
                message = "The source \(PathText.shown(folder)) lies inside the target `\(name)`, \(PathText.shown(root))."
                return
            }
        }
        return nil
    }

    static func refuse(places: [SourcePlace], targets: [PlannedTarget]) throws(IngestError) {
        let targets = targets.map { ($0.name, $0.traits) }
        for place in places {
            // A camera's address is no path.
            guard place.address.hasPrefix("/") else { continue }
            if let found = Overlap(place.address, takesAll: place.takesAll, targets: targets) {
                throw IngestError(.misconfigured, found.message, advice: advice)
            }
        }
    }
}
