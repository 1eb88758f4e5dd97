/// SHA-256 in 32 bytes each: as texts those of a large card take several times as much.
struct DigestList: Sendable, RandomAccessCollection {
    private struct Digest: Sendable, Comparable {
        var first: UInt64, second: UInt64, third: UInt64, fourth: UInt64

        init(_ bytes: [UInt8]) {
            func word(_ start: Int) -> UInt64 { bytes[start..<(start + 8)].reduce(0) { $0 << 8 | UInt64($1) } }
            (first, second, third, fourth) = (word(0), word(8), word(16), word(24))
        }

        var bytes: [UInt8] {
            [first, second, third, fourth].flatMap { word in
                stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
            }
        }

        static func < (one: Digest, other: Digest) -> Bool {
            (one.first, one.second, one.third, one.fourth) < (other.first, other.second, other.third, other.fourth)
        }
    }
    private var digests: [Digest] = []

    var startIndex: Int { 0 }
    var endIndex: Int { digests.count }
    /// As text.
    subscript(index: Int) -> String { AccessSecret.hexadecimal(digests[index].bytes) }

    /// Anything else than 64 small hexadecimal digits is left out.
    mutating func add(_ text: String) {
        guard text.utf8.count == 64, let bytes = AccessSecret.bytes(text) else { return }
        digests.append(Digest(bytes))
    }

    /// In order, and each once.
    mutating func settle() {
        var each: [Digest] = []
        for digest in digests.sorted() where digest != each.last { each.append(digest) }
        digests = each
    }
}
