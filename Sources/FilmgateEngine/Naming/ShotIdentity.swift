import FilmgateCore

/// What tells of two files whether they are of one shot, also when they come hours apart.
struct ShotIdentity: Sendable, Hashable {
    private let volume: String, key: String, stem: String, serial: String?
    /// By the camera's clock, in seconds.
    private let captured: Int64?
    /// A sidecar or memo, which says nothing without its picture.
    let follows: Bool

    init(_ asset: Asset) {
        self.init(asset.origin.volume, asset.shot, asset.media?.serial, asset.media?.captured, asset.kind)
    }

    init(_ row: AssetRow) { self.init(row.origin.volume, row.shot, row.media?.serial, row.media?.captured, row.kind) }

    init(_ file: NamedFile) { self.init(file.volume, file.shot, file.serial, file.captured, file.kind) }

    private init(_ volume: String, _ shot: ShotPlace, _ serial: String?, _ captured: CivilTime?, _ kind: MediaKind) {
        (self.volume, key, stem, self.serial) = (volume, shot.key, shot.stem, serial)
        (self.captured, follows) = (captured?.civilSeconds, kind.follows)
    }

    /// It says when it was taken.
    var isTimed: Bool { captured != nil }

    /// Of bytes that were delivered for a file which is another one by now.
    ///
    /// Earlier versions made up a file for them, on no volume.
    var isUnknown: Bool { key.isEmpty || volume.isEmpty }

    /// Same place and name; and, where both are known, one body and one moment: a formatted card counts its shots anew.
    func isOne(with other: ShotIdentity) -> Bool {
        guard volume == other.volume, key == other.key else { return false }
        if let serial, let theirs = other.serial, serial != theirs { return false }
        if let captured, let theirs = other.captured, abs(captured - theirs) > 2 { return false }
        return true
    }

    /// Known to be of another frame: two cards of one body may hold RAW and JPEG of the same.
    func isOther(than other: ShotIdentity) -> Bool {
        if let serial, let theirs = other.serial, serial != theirs { return true }
        if SafeName.folded(stem) != SafeName.folded(other.stem) { return !isOne(with: other) }
        if let captured, let theirs = other.captured { return abs(captured - theirs) > 2 }
        return volume == other.volume && key != other.key
    }
}
