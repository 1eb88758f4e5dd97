import FilmgateCore

/// Knows again what was taken before, from the listing alone (design §4: a known file is not opened).
struct Recognition: Sendable {
    let files: [KnownFile]
    /// Positions in `files`: tens of thousands of them are kept for as long as a card is read, so each is kept once.
    private let byFingerprint: [Fingerprint: Int32]
    /// By path and size alone, for the explicit ±whole-hour option.
    private let byPathAndSize: [PathAndSize: Int32]

    private struct PathAndSize: Hashable, Sendable { var path: String, size: UInt64 }

    init(_ files: [KnownFile], hourShift: Bool) {
        self.files = files
        var exact: [Fingerprint: Int32] = [:], loose: [PathAndSize: Int32] = [:]
        exact.reserveCapacity(files.count)
        for (index, file) in files.enumerated() {
            exact[file.fingerprint] = Int32(index)
            if hourShift { loose[PathAndSize(path: file.fingerprint.path, size: file.fingerprint.size)] = Int32(index) }
        }
        (byFingerprint, byPathAndSize) = (exact, loose)
    }

    /// The remembered file, when every part of the origin matches; with the hour-shift option also when its time moved by whole hours
    /// (up to a day): what a FAT card does when the computer's zone changes.
    func find(_ origin: Origin) -> KnownFile? { position(of: origin).map { files[Int($0)] } }

    /// Where in `files` that file stands.
    func position(of origin: Origin) -> Int32? {
        if let exact = byFingerprint[origin.fingerprint] { return exact }
        guard let loose = byPathAndSize[PathAndSize(path: origin.volumePath, size: origin.size)] else { return nil }
        let file = files[Int(loose)]
        let shift = origin.modified - file.fingerprint.modified
        let hour: Int64 = 3_600_000_000_000
        return shift % hour == 0 && abs(shift) <= 24 * hour && file.fingerprint.inode == origin.inode ? loose : nil
    }
}
