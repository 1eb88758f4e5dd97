import Glibc

/// Reads a column that mostly repeats its last value (a make, a kind, a root) without making a new string each time.
struct RepeatedText {
    private var last = ""

    mutating func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        let same = last.utf8.withContiguousStorageIfAvailable { last in
            guard last.count == bytes.count, let old = last.baseAddress, let new = bytes.baseAddress else {
                return false
            }
            return memcmp(old, new, bytes.count) == 0
        }
        if same != true { last = String(decoding: bytes, as: UTF8.self) }
        return last
    }
}
