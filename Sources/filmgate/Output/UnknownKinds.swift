import FilmgateCore

/// Files that nobody knows the kind of: not taken, and so in the way of a yes.
enum UnknownKinds {
    /// How to have them taken: all that is taken without a word, and these.
    static let advice =
        "To have them taken: with `--to DIR`, add `--set 'profiles=[{\(accept)}]'`; in a pipeline file, write `\(accept)` into a profile."

    static let accept = "accept: [\(MediaKind.allCases.map(\.rawValue).joined(separator: ", "))]"
}
