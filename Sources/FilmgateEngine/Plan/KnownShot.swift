import FilmgateCore

/// What a listing and the ledger tell of the shot of a known file, without anything being read.
struct KnownShot: Sendable, Hashable {
    /// The shot's primary, where it is known from before.
    var lead: KnownFile?
    var isProtected = false
    /// Of all its files.
    var kinds: Set<MediaKind> = []
    /// The shot's, by its files; nil for one that is not rated.
    var rating: Int?
    /// What people said of its pictures.
    var mark = PictureMark()
    /// Some file of the shot is new, or was never read for what it says: it may rate the others.
    var isRatingKnown = true

    init() {}

    /// `members` in the listing's order, the primary first, each with what is remembered of it.
    init(_ members: [(entry: SourceEntry, known: KnownFile?)]) {
        lead = members.first?.known
        kinds = Set(members.map(\.entry.kind))
        var rated: [RatedFile] = []
        for (entry, known) in members where entry.fate == .take {
            isRatingKnown = isRatingKnown && known?.isRead == true
            isProtected = isProtected || entry.isProtected && !entry.kind.follows
            rated.append(RatedFile(kind: entry.kind, path: entry.origin.path, rating: known?.rating))
            if let known { mark = mark.latest(known.mark) }
        }
        rating = RatedFile.rating(of: rated)
    }

    /// The files of one shot as the ledger knows them, the primary first.
    init(remembered members: [KnownFile]) {
        lead = members.first
        kinds = Set(members.map(\.kind))
        isRatingKnown = members.allSatisfy(\.isRead)
        isProtected = members.contains { $0.isProtected && !$0.kind.follows }
        mark = PictureMark.latest(of: members.map(\.mark))
        rating = RatedFile.rating(
            of: members.map { RatedFile(kind: $0.kind, path: $0.fingerprint.path, rating: $0.rating) })
    }
}

extension KnownShot {
    /// The file that says which camera its shot comes from: the primary, where that knows it.
    func speaker(for known: KnownFile) -> KnownFile {
        lead.flatMap { $0.make == nil && $0.model == nil ? nil : $0 } ?? known
    }
}

extension KnownFile {
    /// Of several states of one file, as the ledger gives them, the latest; the primary first.
    static func latest(_ files: [KnownFile]) -> [KnownFile] {
        var latest: [String: KnownFile] = [:]
        // Not by their times: where a clock was set back, the newer state has the older one.
        for file in files { latest[file.fingerprint.path] = file }
        return latest.values.sorted { ($0.kind.rank, $0.fingerprint.path) < ($1.kind.rank, $1.fingerprint.path) }
    }

    var name: String { fingerprint.path.split(separator: "/").last.map(String.init) ?? fingerprint.path }

    /// Width times height; nil where they are not known.
    var pixels: Int? {
        var facts = MediaFacts()
        (facts.width, facts.height) = (width, height)
        return facts.pixels
    }

    /// As an asset that has been read, for rules that look at assets.
    func remembered(shot: ShotPlace) -> Asset {
        let origin = Origin(
            source: "", volume: "", root: "", path: fingerprint.path, size: fingerprint.size,
            modified: fingerprint.modified)
        var asset = Asset(origin: origin, kind: kind, shot: shot)
        Inheritance.remember(self, &asset)
        return asset
    }
}
