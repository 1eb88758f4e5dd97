import FileKit
import FilmgateCore

/// Tells stages that write metadata what the profile and the run say of a shot.
struct StampDesk: Sendable {
    let profiles: ProfileSet
    let event: String?, photographer: String?, volumeLabel: String
    let digests: Set<DigestAlgorithm>
    /// Nil in a dry run.
    let area: StagingArea?

    func stamping(for shot: Shot) -> Stamping {
        let facts = shot.primary?.media ?? MediaFacts()
        let profile = profiles.resolve(make: facts.make, model: facts.model, serial: facts.serial, owner: facts.owner)
        let known = ShotValues(event: event, photographer: photographer, profile: profile, volumeLabel: volumeLabel)
        var values: [AssetID: TemplateValues] = [:]
        for asset in shot.assets {
            // What follows a frame speaks of that frame.
            let subject = asset.kind.follows ? shot.primary ?? asset : asset
            let captured = CaptureTime.corrected(subject, profile: profile)
            values[asset.id] = known.values(for: subject, primary: shot.primary, captured: captured, counter: nil)
        }
        var newFile: (@Sendable () -> String)?
        if let area { newFile = { area.newPart() } }
        return Stamping(
            rule: profile.stamp ?? StampRule(), values: values, isClockCorrected: profile.clockOffset.map { $0.seconds != 0 } ?? false,
            newFile: newFile, digests: digests)
    }
}
