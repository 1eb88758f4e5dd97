import Glibc

/// Swift holds two spellings of one character for equal; file systems do not, and neither does the ledger.
extension String {
    /// True when both are the same bytes, not only the same characters.
    public func isSpelled(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        var other = other
        return other.withUTF8 { isSpelled(as: $0) }
    }

    /// The same, beside bytes that are no string of their own.
    package func isSpelled(as bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard utf8.count == bytes.count, let theirs = bytes.baseAddress else { return utf8.count == bytes.count }
        var copy = self
        return copy.withUTF8 { mine in mine.baseAddress.map { memcmp($0, theirs, bytes.count) == 0 } ?? true }
    }

    /// Hashes the bytes, as `isSpelled` compares them.
    public func hashSpelling(into hasher: inout Hasher) {
        var copy = self
        copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
