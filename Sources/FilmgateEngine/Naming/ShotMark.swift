import FilmgateCore

/// What tells of two files whether they are of one shot, also when they come hours apart.
struct ShotMark: Sendable, Hashable {
    private let volume: String, key: String, serial: String?
    /// By the camera's clock, in seconds.
    private let captured: Int64?

    init(_ asset: Asset) { self.init(asset.origin, asset.shot, asset.media) }

    init(_ row: AssetRow) { self.init(row.origin, row.shot, row.media) }

    private init(_ origin: Origin, _ shot: ShotPlace, _ media: MediaFacts?) {
        (volume, key, serial, captured) = (origin.volume, shot.key, media?.serial, media?.captured?.civilSeconds)
    }

    /// Same place and name; and, where both are known, one body and one moment: a formatted card counts its shots anew.
    func isOne(with other: ShotMark) -> Bool {
        guard volume == other.volume, key == other.key else { return false }
        if let serial, let theirs = other.serial, serial != theirs { return false }
        if let captured, let theirs = other.captured, abs(captured - theirs) > 2 { return false }
        return true
    }
}
