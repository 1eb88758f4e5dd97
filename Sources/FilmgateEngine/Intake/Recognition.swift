import FilmgateCore

/// Knows again what was taken before, from the listing alone (design §4: a known file is not opened).
struct Recognition: Sendable {
    let known: [Fingerprint: KnownFile]
    /// Path and size alone, for the explicit ±whole-hour option.
    let byPathAndSize: [PathAndSize: KnownFile]

    struct PathAndSize: Hashable, Sendable { var path: String, size: UInt64 }

    init(_ files: [KnownFile], hourShift: Bool) {
        var known: [Fingerprint: KnownFile] = [:]
        known.reserveCapacity(files.count)
        for file in files { known[file.fingerprint] = file }
        self.known = known
        var loose: [PathAndSize: KnownFile] = [:]
        if hourShift { for file in files { loose[PathAndSize(path: file.fingerprint.path, size: file.fingerprint.size)] = file } }
        byPathAndSize = loose
    }

    /// The remembered file, when every part of the origin matches; with the hour-shift option also when its time moved by whole hours
    /// (up to a day): what a FAT card does when the computer's zone changes.
    func find(_ origin: Origin) -> KnownFile? {
        if let file = known[origin.fingerprint] { return file }
        guard let file = byPathAndSize[PathAndSize(path: origin.volumePath, size: origin.size)] else { return nil }
        let shift = origin.modified - file.fingerprint.modified
        let hour: Int64 = 3_600_000_000_000
        return shift % hour == 0 && abs(shift) <= 24 * hour && file.fingerprint.inode == origin.inode ? file : nil
    }
}
