import FileKit
import FilmgateCore

/// Tells stages that ask for it what the profile and the run say of a shot.
struct StampValues: Sendable {
    let profiles: ProfileSet
    let event: String?, photographer: String?, volumeLabel: String
    let digests: Set<DigestAlgorithm>
    /// In order of preference; empty in a dry run.
    let areas: [StagingArea]
    let bodies: BodySerials, ledger: any LedgerReader
    /// What this station is called.
    var station = ""

    /// `turn` returns once every earlier shot of the card is through: they tell which body a movie without a serial
    /// number comes from.
    func stamping(for shot: Shot, turn: () async -> Void) async throws(IngestError) -> Stamping {
        let profile = try await profile(of: shot, turn: turn)
        let known = ShotValues(
            event: event, photographer: photographer, profile: profile, volumeLabel: volumeLabel, station: station)
        var values: [AssetID: TemplateValues] = [:]
        for asset in shot.assets {
            // What follows a frame speaks of that frame.
            let subject = asset.kind.follows ? shot.primary ?? asset : asset
            let captured = CaptureTime.corrected(subject, profile: profile)
            values[asset.id] = known.values(for: subject, primary: shot.primary, captured: captured, counter: nil)
        }
        return Stamping(
            rule: profile.stamp ?? StampRule(), values: values, mark: shot.mark,
            isClockCorrected: profile.clockOffset.map { $0.seconds != 0 } ?? false,
            newFiles: areas.map { area in { @Sendable in area.newPart() } }, digests: digests)
    }

    /// When each file was taken, by its camera's corrected clock; the file's own time where no file of the shot says.
    ///
    /// `turn` as for `stamping`.
    func times(of shot: Shot, turn: () async -> Void) async throws(IngestError) -> [AssetID: CivilTime] {
        let profile = try await profile(of: shot, turn: turn)
        var times: [AssetID: CivilTime] = [:]
        for asset in [shot.remembered].compactMap({ $0 }) + shot.assets {
            let subject = asset.kind.follows ? shot.primary ?? asset : asset
            times[asset.id] =
                CaptureTime.corrected(subject, profile: profile) ?? CaptureTime.ofFile(subject.origin.modified)
        }
        return times
    }

    private func profile(of shot: Shot, turn: () async -> Void) async throws(IngestError) -> ResolvedProfile {
        let facts = shot.primary?.media ?? MediaFacts(), kind = shot.primary?.kind ?? .other
        if BodySerials.asksPhotos(facts, kind) { await turn() }
        return try await bodies.resolve(facts, kind, profiles, ledger)
    }
}
