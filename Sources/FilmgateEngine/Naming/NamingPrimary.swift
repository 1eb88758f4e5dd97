import FilmgateCore

/// What a shot is named by: its primary, and where that does not know something, the next of its pictures.
struct NamingPrimary: Sendable {
    @CopyOnWriteBox private(set) var asset: Asset
    /// Corrected; the file's own where no picture says.
    let time: CivilTime?

    init(_ lead: Asset, among drafts: [Draft], profile: ResolvedProfile) {
        var picture = lead
        var time = CaptureTime.corrected(lead, profile: profile)
        if drafts.count > 1, !lead.kind.follows {
            var media = lead.media ?? MediaFacts()
            for draft in drafts where !draft.asset.kind.follows {
                guard let own = draft.asset.media else { continue }
                (media.make, media.model) = (media.make ?? own.make, media.model ?? own.model)
                (media.serial, media.owner) = (media.serial ?? own.serial, media.owner ?? own.owner)
                time = time ?? draft.captured
            }
            picture.media = media
        }
        asset = picture
        self.time = time ?? CaptureTime.ofFile(lead.origin.modified)
    }
}
