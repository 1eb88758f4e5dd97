import FilmgateCore

/// Sidecars and memos inherit make, owner and time from the file that they belong to (design §1).
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

    /// What the ledger remembers of a file that is not read again.
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
