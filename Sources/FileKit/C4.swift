import CryptographyKit

/// C4 IDs (SMPTE ST 2114): SHA-512 in base 58, 90 characters.
///
/// What ASC MHL seals its manifests with.
public enum C4 {
    private static let alphabet = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)

    public static func id(of bytes: [UInt8]) -> String { id(RunningHash.digest(of: bytes, .sha512)) }

    /// `digest`: the SHA-512.
    static func id(_ digest: [UInt8]) -> String {
        var number = digest
        var digits = [UInt8](repeating: alphabet[0], count: 88)
        for place in digits.indices.reversed() {
            var remainder = 0
            for index in number.indices {
                let value = remainder << 8 | Int(number[index])
                number[index] = UInt8(value / 58)
                remainder = value % 58
            }
            digits[place] = alphabet[remainder]
        }
        return "c4" + String(decoding: digits, as: UTF8.self)
    }
}
