import FilmgateCore

/// Sidecars and memos inherit make, owner and time from the file that they belong to.
enum Inheritance {
    static func apply(from lead: MediaFacts, to asset: Asset) -> Asset {
        guard asset.kind.follows else { return asset }
        var asset = asset
        var media = asset.media ?? MediaFacts()
        media.make = media.make ?? lead.make
        media.model = media.model ?? lead.model
        media.serial = media.serial ?? lead.serial
        media.owner = media.owner ?? lead.owner
        media.captured = lead.captured ?? media.captured
        asset.media = media
        return asset
    }

    /// The asset of a file that is not read again, as far as `known` tells of it.
    static func remembered(_ known: KnownFile, origin: Origin, kind: MediaKind, shot: ShotPlace) -> Asset {
        var asset = Asset(origin: origin, kind: kind, shot: shot)
        remember(known, &asset)
        asset.digests = known.content.map { Digests(sha256: $0.sha256) }
        return asset
    }

    /// The other way round: of an asset that was read, what is worth remembering while its source is open.
    static func known(_ asset: Asset) -> KnownFile {
        let media = asset.media ?? MediaFacts()
        var known = KnownFile(
            fingerprint: asset.origin.fingerprint, content: asset.digests.map { ContentKey(sha256: $0.sha256) },
            kind: asset.kind, ending: nil, make: media.make, model: media.model, serial: media.serial,
            owner: media.owner, captured: media.captured, done: [], shot: asset.shot.key)
        (known.rating, known.width, known.height) = (media.rating, media.width, media.height)
        known.isRead = asset.media != nil
        known.isProtected = asset.flags.contains(AssetFlag.protected)
        known.zoneAssumed = asset.flags.contains(AssetFlag.zoneAssumed)
        return known
    }

    /// Fills an asset in with what the ledger remembers of its file; its digests are left to the caller.
    static func remember(_ known: KnownFile, _ asset: inout Asset) {
        var media = MediaFacts()
        (media.make, media.model, media.serial, media.owner) = (known.make, known.model, known.serial, known.owner)
        (media.captured, media.rating) = (known.captured, known.rating)
        (media.width, media.height) = (known.width, known.height)
        asset.media = media
        if known.isProtected { asset.flags.insert(AssetFlag.protected) }
        if known.zoneAssumed { asset.flags.insert(AssetFlag.zoneAssumed) }
    }
}

/// Which body a shot was taken with: what a file does not say of it, the first file of its shot that does says for it.
///
/// A RAW format that nobody can read yet, or a damaged one, must not cost its shot the profile that the JPEG beside it
/// names.
struct ShotBody {
    private(set) var facts = MediaFacts()
    private let captured: CivilTime?

    /// `assets` in the shot's order; frames are asked before what follows them.
    init(of assets: [Asset]) {
        let ordered = assets.filter { !$0.kind.follows } + assets.filter(\.kind.follows)
        captured = ordered.lazy.compactMap { $0.kind.follows ? nil : $0.media?.captured }.first
        for asset in ordered { if let own = asset.media, isMine(asset) { Self.fill(&facts, from: own) } }
    }

    /// Says for `asset` what it leaves open, unless it is of another body or day and only bears the same name.
    func complete(_ asset: inout Asset) {
        guard isMine(asset), facts != MediaFacts() else { return }
        var own = asset.media ?? MediaFacts()
        Self.fill(&own, from: facts)
        asset.media = own
    }

    private func isMine(_ asset: Asset) -> Bool {
        if let own = asset.media?.model, let model = facts.model, own != model { return false }
        return asset.kind.follows || !ShotTime.isApart(asset.media?.captured, captured)
    }

    private static func fill(_ facts: inout MediaFacts, from other: MediaFacts) {
        (facts.make, facts.model) = (facts.make ?? other.make, facts.model ?? other.model)
        (facts.serial, facts.owner) = (facts.serial ?? other.serial, facts.owner ?? other.owner)
    }
}

/// When two files of one name cannot be of one moment.
enum ShotTime {
    /// More than any zone that a movie's clock may have been read in, and any clip's length.
    private static let day: Int64 = 86_400

    /// True where both are known, and more than a day lies between them.
    static func isApart(_ one: CivilTime?, _ other: CivilTime?) -> Bool {
        guard let one, let other else { return false }
        return abs(one.civilSeconds - other.civilSeconds) > day
    }
}

extension Shot {
    /// Lets the files of the shot say for each other which body they are of; once all have been read.
    mutating func shareBody() {
        guard assets.count + known.count > 1 || remembered != nil else { return }
        let body = ShotBody(of: [remembered].compactMap { $0 } + assets + known)
        for index in assets.indices { body.complete(&assets[index]) }
        if var lead = remembered {
            body.complete(&lead)
            remembered = lead
        }
    }
}
