/// Swift holds two spellings of one character for equal; file systems do not, and neither does the ledger.
extension String {
    /// True when both are the same bytes, not only the same characters.
    public func isSpelled(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let equal = utf8.withContiguousStorageIfAvailable { mine in
            other.utf8.withContiguousStorageIfAvailable { mine.elementsEqual($0) }
        }
        return (equal ?? nil) ?? utf8.elementsEqual(other.utf8)
    }

    /// Hashes the bytes, as `isSpelled` compares them.
    public func hashSpelling(into hasher: inout Hasher) {
        var copy = self
        copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
