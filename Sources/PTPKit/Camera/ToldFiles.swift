import FilmgateCore

/// Which files the engine has been told about: sixteen bytes for each, however long a shoot goes on.
struct ToldFiles: Sendable {
    private struct Facts: Sendable {
        /// Of the size, as much as tells two lengths of a file apart.
        var size: UInt32
        /// Seconds since 1970.
        var time: UInt32
    }
    /// By a hash of the path in the volume.
    private var files: [Int: Facts] = [:]

    var count: Int { files.count }

    mutating func insert(_ path: String, size: UInt64, modified: Int64) { files[Self.key(path)] = Self.facts(size, modified) }

    mutating func remove(_ path: String) { files[Self.key(path)] = nil }

    /// An event and a listing may date the same file a second or two apart.
    func contains(_ path: String, size: UInt64, modified: Int64) -> Bool {
        guard let old = files[Self.key(path)] else { return false }
        let new = Self.facts(size, modified)
        return old.size == new.size && abs(Int64(old.time) - Int64(new.time)) <= 2
    }

    private static func facts(_ size: UInt64, _ modified: Int64) -> Facts {
        // Mixed with the upper half: files of cameras may be larger than 4 GiB.
        Facts(
            size: UInt32(truncatingIfNeeded: size) ^ (UInt32(truncatingIfNeeded: size >> 32) &* 2_654_435_769),
            time: UInt32(truncatingIfNeeded: modified / 1_000_000_000))
    }

    /// Of sixty-four bits: among all files of a card no two are alike.
    static func key(_ path: String) -> Int {
        var hasher = Hasher()
        path.hashSpelling(into: &hasher)
        return hasher.finalize()
    }
}
