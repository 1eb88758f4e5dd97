/// Stand-ins for the characters that begin anchors, aliases and tags.
///
/// YAML libraries resolve aliases while they compose, and a few lines of aliases can stand for billions of nodes. So
/// these three characters are replaced *before* composing by scalars that YAML treats as ordinary text: no alias can
/// exist in what is composed. Afterwards a plain value that begins with a stand-in shows exactly where one was meant,
/// and everywhere else they are put back.
enum YAMLPlaceholders {
    /// Unicode noncharacters, never valid in a file; refused in the text itself.
    ///
    /// One scalar for one scalar: columns stay true.
    static let pairs: [(original: Unicode.Scalar, standIn: Unicode.Scalar)] = [
        ("&", "\u{1FFFE}"), ("*", "\u{2FFFE}"), ("!", "\u{3FFFE}"),
    ]

    static func standIn(for scalar: Unicode.Scalar) -> Unicode.Scalar? {
        pairs.first { $0.original == scalar }?.standIn
    }

    static func original(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
        pairs.first { $0.standIn == scalar }?.original
    }

    static func neutralized(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 0x26 || $0 == 0x2A || $0 == 0x21 }) else { return text }
        return mapped(text, standIn(for:))
    }

    static func restored(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { original(of: $0) != nil }) else { return text }
        return mapped(text, original(of:))
    }

    private static func mapped(_ text: String, _ change: (Unicode.Scalar) -> Unicode.Scalar?) -> String {
        var result = String.UnicodeScalarView()
        result.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars { result.append(change(scalar) ?? scalar) }
        return String(result)
    }

    /// The refusal of an anchor, alias or tag, whichever `introducer` begins.
    static func refusal(_ introducer: Unicode.Scalar) -> (code: String, message: String, hint: String) {
        switch introducer {
        case "&":
            (
                "anchor-refused", "YAML anchors (`&name`) are not allowed here.",
                "Profiles say once what holds for many; text that begins with `&` needs quotes."
            )
        case "*":
            (
                "alias-refused", "YAML aliases (`*name`) are not allowed here.",
                "Text that begins with `*` needs quotes: \"*.jpg\"."
            )
        default:
            ("tag-refused", "YAML tags (`!name`) are not allowed here.", "Text that begins with `!` needs quotes.")
        }
    }
}
