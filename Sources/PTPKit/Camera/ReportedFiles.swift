import FilmgateCore

/// Which files the engine has been told about: 32 bytes for each, however long a shoot goes on.
struct ReportedFiles: Sendable {
    /// What tells a file from another one under the same path.
    struct Facts: Sendable {
        /// Of the size, as much as tells two lengths of a file apart.
        fileprivate var size: UInt32
        /// Seconds since 1970; 0 where that is no date.
        fileprivate var time: UInt32
        fileprivate var medium: MediumMark
        /// An object of this connection, for files without a date.
        fileprivate var handle: ObjectHandle, visit: UInt32

        init(size: UInt64, modified: Int64, medium: MediumMark, handle: ObjectHandle, visit: UInt32) {
            // Mixed with the upper half: files of cameras may be larger than 4 GiB.
            self.size = UInt32(truncatingIfNeeded: size) ^ (UInt32(truncatingIfNeeded: size >> 32) &* 2_654_435_769)
            time = Evidence.isDate(modified) ? UInt32(truncatingIfNeeded: modified / 1_000_000_000) : 0
            (self.medium, self.handle, self.visit) = (medium, handle, visit)
        }

        /// An event and a listing may date the same file a second or two apart.
        func isSame(as other: Facts) -> Bool {
            guard size == other.size, medium.isSame(as: other.medium) else { return false }
            if time == 0 || other.time == 0 { return (handle, visit) == (other.handle, other.visit) }
            return abs(Int64(time) - Int64(other.time)) <= 2
        }
    }
    /// By a hash of the path in the volume.
    private var files = PackedTable<Facts>()

    var count: Int { files.count }

    mutating func insert(_ path: String, _ facts: Facts) { files[Self.key(path)] = facts }

    mutating func remove(_ path: String) { files[Self.key(path)] = nil }

    func contains(_ path: String, _ facts: Facts) -> Bool {
        files[Self.key(path)].map { facts.isSame(as: $0) } ?? false
    }

    /// Of sixty-four bits: among all files of a card no two are alike.
    static func key(_ path: String) -> Int {
        var hasher = Hasher()
        path.hashSpelling(into: &hasher)
        return hasher.finalize()
    }
}
