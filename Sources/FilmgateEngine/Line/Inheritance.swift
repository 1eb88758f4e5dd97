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
            fingerprint: asset.origin.fingerprint, content: asset.digests.map { ContentKey(sha256: $0.sha256) }, kind: asset.kind,
            ending: nil, make: media.make, model: media.model, serial: media.serial, owner: media.owner, captured: media.captured,
            done: [], shot: asset.shot.key)
        (known.rating, known.width, known.height) = (media.rating, media.width, media.height)
        known.isRead = asset.media != nil
        known.isProtected = asset.flags.contains(AssetFlag.protected)
        known.zoneAssumed = asset.flags.contains(AssetFlag.zoneAssumed)
        return known
    }

    /// Fills an asset in with what the ledger remembers of its file; its digests are left to the caller.
    static func remember(_ known: KnownFile, _ asset: inout Asset) {
        asset.media = MediaFacts()
        asset.media?.make = known.make
        asset.media?.model = known.model
        asset.media?.serial = known.serial
        asset.media?.owner = known.owner
        asset.media?.captured = known.captured
        asset.media?.rating = known.rating
        asset.media?.width = known.width
        asset.media?.height = known.height
        if known.isProtected { asset.flags.insert(AssetFlag.protected) }
        if known.zoneAssumed { asset.flags.insert(AssetFlag.zoneAssumed) }
    }
}
