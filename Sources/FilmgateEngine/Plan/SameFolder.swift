import FilmgateCore

/// Two targets that would put the same names into the same folder: each file would be delivered once, and counted as a duplicate of itself.
struct SameFolder {
    static let advice = "Name each folder once."
    let message: String, second: String

    /// The first two; folders are compared with their links resolved.
    static func first(in targets: [(name: String, target: any UploadTarget)]) -> SameFolder? {
        var seen: [String: (name: String, layout: String?)] = [:]
        for (name, target) in targets {
            let traits = target.traits
            guard let root = traits.localRoot else { continue }
            guard let other = seen[traits.identity] else {
                seen[traits.identity] = (name, traits.layout?.source)
                continue
            }
            guard other.layout == traits.layout?.source else { continue }
            return SameFolder(message: "`\(other.name)` and `\(name)` are the same folder: \(root).", second: name)
        }
        return nil
    }
}
