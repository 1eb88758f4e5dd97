import FileKit
import FilmgateCore

/// Two targets that would put the same names into the same folder: each file would be delivered once, and counted as a
/// duplicate of itself.
struct SameFolder {
    static let advice = "Name each folder once."
    let message: String, second: String

    /// The first two; folders are the same also by way of links or a bind mount.
    static func first(in targets: [(name: String, target: any UploadTarget)]) -> SameFolder? {
        var seen: [(name: String, root: String, layout: String?)] = []
        for (name, target) in targets {
            guard let root = target.traits.localRoot else { continue }
            let layout = target.traits.layout?.source
            if let other = seen.first(where: { $0.layout == layout && FileSystem.isOneFolder($0.root, root) }) {
                let places = other.root == root ? root : "\(root) is \(other.root) by another way"
                return SameFolder(
                    message: "`\(other.name)` and `\(name)` are the same folder: \(places).", second: name)
            }
            seen.append((name, root, layout))
        }
        return nil
    }
}
