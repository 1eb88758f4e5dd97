import FilmgateCore

/// The template values of one asset of a shot, once its profile has been applied.
struct ShotValues: Sendable {
    var event: String?
    var photographer: String?
    var profile: ResolvedProfile
    var volumeLabel: String
    /// What this station is called.
    var station = ""

    /// Values for `asset`; `primary` lends what a sidecar or memo does not know.
    func values(for asset: Asset, primary: Asset?, captured: CivilTime?, counter: Int?) -> TemplateValues {
        let media = asset.media ?? MediaFacts(), lead = primary?.media ?? MediaFacts()
        let whole = NameSlot.removed(from: asset.origin.name), name = FileName(whole)
        // With room for all: made for each file, a table that grows on the way takes twice as long.
        var text = [String: String](minimumCapacity: 14)
        for (key, value) in [
            ("name", whole), ("stem", name.stem), ("ext", name.ext), ("shot", asset.shot.stem),
            ("volume", volumeLabel), ("kind", asset.kind.rawValue), ("size", String(asset.origin.size)),
            ("station", station),
        ] {
            text[key] = NameSlot.removed(from: value)
        }
        text["make"] = media.make ?? lead.make
        text["model"] = media.model ?? lead.model
        text["serial"] = media.serial ?? lead.serial
        text["event"] = event
        text["photographer"] = photographer ?? profile.photographer ?? media.owner ?? lead.owner
        text["sha256"] = asset.digests?.sha256
        return TemplateValues(text: text, captured: captured, counter: counter)
    }
}
