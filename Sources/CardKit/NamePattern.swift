import FilmgateCore

/// A file name with gaps: `#` a digit, `+` a digit that does not count (a chapter's number), `*` any text, `~` a rest
/// that does not count.
///
/// Case is ignored.
struct NamePattern: Sendable {
    /// What stood in the gaps that count.
    struct Captured { var digits: [UInt8] = [], text: ArraySlice<UInt8> = [] }

    private let pattern: [UInt8]
    /// A name that begins with another byte cannot match; nil = any may.
    let firstByte: UInt8?

    init(_ pattern: String) {
        self.pattern = Array(SafeName.folded(pattern).utf8)
        firstByte = self.pattern.first.flatMap { "#+*~".utf8.contains($0) ? nil : $0 }
    }

    func matches(_ folded: [UInt8]) -> Bool { captured(folded) != nil }

    /// What a case-folded name has in the gaps; nil when it does not match.
    func captured(_ folded: [UInt8]) -> Captured? {
        var captured = Captured()
        return Self.match(pattern[...], folded[...], &captured) ? captured : nil
    }

    /// The pattern as a name: `#` filled with the digits in order, `*` with the text.
    func filled(_ captured: Captured) -> String {
        var digits = captured.digits[...], bytes: [UInt8] = []
        for byte in pattern {
            switch byte {
            case UInt8(ascii: "#"): bytes.append(digits.popFirst() ?? 0x30)
            case UInt8(ascii: "*"): bytes.append(contentsOf: captured.text)
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func match(
        _ pattern: ArraySlice<UInt8>, _ name: ArraySlice<UInt8>, _ captured: inout Captured
    ) -> Bool {
        guard let head = pattern.first else { return name.isEmpty }
        let rest = pattern.dropFirst()
        switch head {
        case UInt8(ascii: "~"): return true
        case UInt8(ascii: "*"):
            for length in 0...name.count {
                var attempt = captured
                attempt.text = name.prefix(length)
                if match(rest, name.dropFirst(length), &attempt) {
                    captured = attempt
                    return true
                }
            }
            return false
        default:
            guard let byte = name.first else { return false }
            if head == UInt8(ascii: "#") || head == UInt8(ascii: "+") {
                guard (0x30...0x39).contains(byte) else { return false }
                if head == UInt8(ascii: "#") { captured.digits.append(byte) }
            } else if byte != head {
                return false
            }
            return match(rest, name.dropFirst(), &captured)
        }
    }
}
