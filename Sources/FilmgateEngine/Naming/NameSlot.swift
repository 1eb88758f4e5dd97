import FilmgateCore

/// Stands in a name for what is not decided yet: scalars that no name from outside carries to a target.
enum NameSlot {
    /// For the event.
    static let event = "\u{F0000}"
    /// For `-2`, `-3`, or nothing.
    static let suffix = "\u{F0001}"
    /// For one digit of the number.
    static let counter = "\u{F0002}"

    static let eventScalar: Unicode.Scalar = "\u{F0000}", suffixScalar: Unicode.Scalar = "\u{F0001}"
    static let counterScalar: Unicode.Scalar = "\u{F0002}"
    private static let first = eventScalar, last = counterScalar

    /// True where `text` may hold a slot: all of them begin with the same byte.
    static func mayBe(in text: some StringProtocol) -> Bool { text.utf8.contains(0xF3) }

    /// A name from outside without scalars that would be taken for slots.
    static func removed(from text: String) -> String {
        guard mayBe(in: text) else { return text }
        var kept = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { kept.append((first...last).contains(scalar) ? "_" : scalar) }
        return String(kept)
    }
}
