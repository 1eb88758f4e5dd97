/// A name in a server's listing, with the very bytes that it has there.
///
/// A name that is read wrongly counts as free, and what has it would be replaced: so names keep their bytes as names
/// from the card do, and one that cannot be told is told as such.
public enum ListedName {
    /// The text for a name's bytes, UTF-8 or not; nil for one that the server itself could not spell (it holds U+FFFD).
    public static func of(_ bytes: some Collection<UInt8>) -> String? {
        let name = PathBytes.text(of: Array(bytes))
        return name.unicodeScalars.contains("\u{FFFD}") ? nil : name
    }

    /// The same for a name that is percent-encoded; nil also where an escape is broken.
    public static func decoded(_ text: some StringProtocol) -> String? { Percent.bytes(text).flatMap { of($0) } }
}
