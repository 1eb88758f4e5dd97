import CryptographyKit

/// Words that let somebody in, and the digests by which they are known: only those are kept.
enum AccessSecret {
    /// Of what `random` makes.
    static let length = 64

    /// 256 random bits in hexadecimal digits.
    static func random() -> String {
        var random = SystemRandomNumberGenerator()
        return hexadecimal((0..<32).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    /// 40 random bits in Crockford's letters, `7KQ2-M0XT`: read out, typed and used once, within minutes.
    static func code() -> String {
        var random = SystemRandomNumberGenerator()
        let letters = (0..<8).map { _ in alphabet[Int.random(in: 0..<32, using: &random)] }
        return String(letters[..<4]) + "-" + String(letters[4...])
    }

    /// A code as it was meant: without spaces and hyphens, letters that look like digits as those digits.
    ///
    /// Nil for what is no code at all.
    static func normalised(_ typed: String) -> String? {
        guard typed.utf8.count <= 64 else { return nil }
        var letters: [Character] = []
        for character in typed.uppercased() where !" -\u{2010}\u{2011}\u{2013}".contains(character) {
            switch character {
            case "O": letters.append("0")
            case "I", "L": letters.append("1")
            case let letter where alphabet.contains(letter): letters.append(letter)
            default: return nil
            }
        }
        return letters.count == 8 ? String(letters) : nil
    }

    static func digest(_ secret: String) -> [UInt8] { RunningHash.digest(of: Array(secret.utf8), .sha256) }

    /// In the same time for all digests.
    static func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool { MessageCode.equal(one, other) }

    static func hexadecimal(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    static func bytes(_ hexadecimal: String) -> [UInt8]? {
        let digits = hexadecimal.utf8.map { byte -> UInt8? in
            switch byte {
            case 0x30...0x39: byte - 0x30
            case 0x61...0x66: byte - 0x61 + 10
            default: nil
            }
        }
        guard digits.count % 2 == 0, !digits.contains(nil) else { return nil }
        let plain = digits.compactMap { $0 }
        return stride(from: 0, to: plain.count, by: 2).map { plain[$0] << 4 | plain[$0 + 1] }
    }

    private static let digits = Array("0123456789abcdef".utf8)
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
}
