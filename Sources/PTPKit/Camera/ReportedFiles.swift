import FilmgateCore

/// Which files the engine has been told about: 24 bytes for each, however long a shoot goes on.
struct ReportedFiles: Sendable {
    /// What tells a file from another one under the same path.
    struct Facts: Sendable {
        /// Of the size, as much as tells two lengths of a file apart.
        fileprivate var size: UInt32
        /// Seconds since 1970; 0 where that is no date.
        fileprivate var time: UInt32
        fileprivate var medium: MediumIdentity
        /// An object of this connection, for files without a date.
        fileprivate var handle: ObjectHandle, visit: UInt32

        init(size: UInt64, modified: Int64, medium: MediumIdentity, handle: ObjectHandle, visit: UInt32) {
            // Mixed with the upper half: files of cameras may be larger than 4 GiB.
            self.size = UInt32(truncatingIfNeeded: size) ^ (UInt32(truncatingIfNeeded: size >> 32) &* 2_654_435_769)
            time = Evidence.isDate(modified) ? UInt32(truncatingIfNeeded: modified / 1_000_000_000) : 0
            (self.medium, self.handle, self.visit) = (medium, handle, visit)
        }

    }
    /// The facts as they are kept.
    private struct Entry: Sendable {
        var size: UInt32, time: UInt32, handle: ObjectHandle
        /// Which of `media`; and of its visit as much as tells one from the 65,535 before it.
        var medium: UInt16, visit: UInt16
    }
    /// By a hash of the path in the volume.
    private var files = PackedTable<Entry>()
    /// Few: a card and a body in each of its ways to be reached.
    private var media: [MediumIdentity] = []

    var count: Int { files.count }

    mutating func insert(_ path: String, _ facts: Facts) {
        // With more media than can be counted it is told of again, which costs a look at it.
        files[Self.key(path)] = place(of: facts.medium).map { medium in
            Entry(
                size: facts.size, time: facts.time, handle: facts.handle, medium: medium,
                visit: UInt16(truncatingIfNeeded: facts.visit))
        }
    }

    mutating func remove(_ path: String) { files[Self.key(path)] = nil }

    func contains(_ path: String, _ facts: Facts) -> Bool {
        guard let entry = files[Self.key(path)], entry.size == facts.size else { return false }
        guard facts.medium.isSame(as: media[Int(entry.medium)]) else { return false }
        if facts.time == 0 || entry.time == 0 {
            return (entry.handle, entry.visit) == (facts.handle, UInt16(truncatingIfNeeded: facts.visit))
        }
        // An event and a listing may date the same file a second or two apart.
        return abs(Int64(facts.time) - Int64(entry.time)) <= 2
    }

    private mutating func place(of medium: MediumIdentity) -> UInt16? {
        if let known = media.firstIndex(of: medium) { return UInt16(known) }
        guard media.count < Int(UInt16.max) else { return nil }
        media.append(medium)
        return UInt16(media.count - 1)
    }

    /// Of sixty-four bits: among all files of a card no two are alike.
    static func key(_ path: String) -> Int {
        var hasher = Hasher()
        path.hashSpelling(into: &hasher)
        return hasher.finalize()
    }
}
