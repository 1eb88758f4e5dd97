/// Hides what addresses in a text may hold of a secret: who signs in (`user:password@`), and the values behind `?` and
/// `#`.
///
/// Variables and references such as `{event}` and `${env:X}` stay: they are no values.
public enum AddressMask {
    /// `text` with each of those replaced by `•••`.
    public static func hidden(_ text: String) -> String {
        guard text.utf8.contains(0x3A) || text.utf8.contains(0x3F) else { return text }
        let scalars = Array(text.unicodeScalars)
        var result = String.UnicodeScalarView(), next = 0
        for range in ranges(in: scalars) {
            result.append(contentsOf: scalars[next..<range.lowerBound])
            result.append(contentsOf: "•••".unicodeScalars)
            next = range.upperBound
        }
        guard next > 0 else { return text }
        result.append(contentsOf: scalars[next...])
        return String(result)
    }

    /// What must not be shown of the addresses in `text`, in order.
    public static func ranges(in text: [Unicode.Scalar]) -> [Range<Int>] {
        var found: [Range<Int>] = [], start = 0
        while start < text.count {
            guard !ends(text[start]) else { start += 1; continue }
            let end = text[start...].firstIndex(where: ends) ?? text.count
            found += secrets(in: text, start..<end)
            start = end
        }
        return found
    }

    /// Of one word.
    private static func secrets(in text: [Unicode.Scalar], _ word: Range<Int>) -> [Range<Int>] {
        var found: [Range<Int>] = [], host = word.lowerBound, isAddress = false
        for index in word
        where index + 2 < word.upperBound && text[index...(index + 2)].elementsEqual("://".unicodeScalars) {
            (host, isAddress) = (index + 3, true)
            break
        }
        if let user = userInfo(in: text, host..<word.upperBound, isAddress: isAddress) {
            if !isReference(text[user]) { found.append(user) }
            host = user.upperBound + 1
        }
        guard isAddress, let query = text[host..<word.upperBound].firstIndex(where: { $0 == "?" || $0 == "#" }) else {
            return found
        }
        return found + values(in: text, (query + 1)..<word.upperBound)
    }

    /// What stands before `@`: in the host's place, or wherever a password with `/`, `?` or `#` in it was not
    /// percent-encoded.
    private static func userInfo(in text: [Unicode.Scalar], _ rest: Range<Int>, isAddress: Bool) -> Range<Int>? {
        let host = rest.lowerBound..<(text[rest].firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.upperBound)
        if let at = text[host].lastIndex(of: "@") {
            // `name@place` alone is no address.
            return isAddress || text[host.lowerBound..<at].contains(":") ? host.lowerBound..<at : nil
        }
        guard isAddress, let colon = text[host].firstIndex(of: ":"), let at = text[rest].lastIndex(of: "@") else {
            return nil
        }
        let port = text[(colon + 1)..<host.upperBound]
        return port.allSatisfy { ("0"..."9").contains($0) } ? nil : host.lowerBound..<at
    }

    private static func values(in text: [Unicode.Scalar], _ query: Range<Int>) -> [Range<Int>] {
        var found: [Range<Int>] = []
        for part in text[query].split(whereSeparator: { $0 == "&" || $0 == ";" || $0 == "#" }) {
            let start = part.firstIndex(of: "=").map { $0 + 1 } ?? part.startIndex
            if start < part.endIndex, !isReference(text[start..<part.endIndex]) { found.append(start..<part.endIndex) }
        }
        return found
    }

    private static func isReference(_ value: ArraySlice<Unicode.Scalar>) -> Bool {
        let last = value.last { $0 != "," && $0 != "." }
        return (value.first == "{" || value.starts(with: ["$", "{"])) && last == "}"
    }

    private static func ends(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "`" || scalar == "\"" || scalar == "'" || scalar == "<" || scalar == ">"
            || scalar.properties.isWhitespace
    }
}
