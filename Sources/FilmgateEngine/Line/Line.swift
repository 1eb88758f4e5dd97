import FilmgateCore

/// An asset that has passed the stages, and what they decided about it.
struct Passed: Sendable {
    enum Decision: Sendable {
        case deliver(to: [String])
        case finish(Ending, reason: String, twin: String?)
    }
    var asset: Asset
    var decision: Decision
    /// What all files of its shot say together.
    var standing = ShotStanding()
}

/// Takes the assets of one shot through the stages: stage by stage, the primary first, so that a sidecar's facts are
/// known when its picture is judged.
struct Line: Sendable {
    let stages: [any Stage]
    var stampValues: StampValues?
    /// About the disk, the ledger that a stage asks, or the run; a module in a program of its own cannot say the last
    /// two.
    private static let decidesNothing: Set<IngestError.Code> = [.storageFull, .cancelled, .stateLocked, .unexpected]

    /// `turn` returns once every earlier shot of the card is through.
    ///
    /// What a stage throws sets the asset aside, unless it is about the disk or the run: then nothing of the shot is
    /// decided, what stages made of it is removed, and it is thrown.
    func pass(_ shot: Shot, turn: () async -> Void = {}) async throws(IngestError) -> [Passed] {
        var shot = shot
        do throws(IngestError) { return try await pass(&shot, turn: turn) } catch {
            for asset in shot.assets { Companions.discard(asset) }
            throw error
        }
    }

    private func pass(_ shot: inout Shot, turn: () async -> Void) async throws(IngestError) -> [Passed] {
        var decided: [AssetID: Passed] = [:]
        for stage in stages {
            if stage.traits.reads { try await read(&shot, by: stage) }
            if stage.traits.asksTimes, let stampValues {
                shot.times = try await stampValues.times(of: shot, turn: turn)
            }
            if stage.traits.stamps, let stampValues {
                shot.stamping = try await stampValues.stamping(for: shot, turn: turn)
            }
            for index in shot.assets.indices where decided[shot.assets[index].id] == nil {
                let (asset, whole) = (shot.assets[index], shot)
                let result = await Result { () async throws(IngestError) in try await stage.process(asset, of: whole) }
                switch result {
                case .success(.pass(let asset)): shot.assets[index] = asset
                case .success(.finish(let asset, let ending, let reason, let twin)):
                    shot.assets[index] = asset
                    decided[asset.id] = Passed(asset: asset, decision: .finish(ending, reason: reason, twin: twin))
                case .success(.deliver(let asset, let targets)):
                    shot.assets[index] = asset
                    decided[asset.id] = Passed(asset: asset, decision: .deliver(to: targets))
                case .failure(let error) where Self.decidesNothing.contains(error.code): throw error
                case .failure(let error):
                    if let file = asset.file, let lost = await LostBytes.error(file, error) { throw lost }
                    decided[shot.assets[index].id] = Passed(
                        asset: shot.assets[index], decision: .finish(.setAside, reason: error.description, twin: nil))
                }
            }
            if stage.traits.reads { shot.shareBody() }
        }
        let standing = ShotStanding(shot)
        return shot.assets.map { asset in
            var passed =
                decided[asset.id]
                ?? Passed(asset: asset, decision: .finish(.filtered, reason: "no stage delivers it", twin: nil))
            passed.standing = standing
            return passed
        }
    }

    /// What the known files of the shot say; one that cannot be read any more says nothing.
    private func read(_ shot: inout Shot, by stage: any Stage) async throws(IngestError) {
        for (index, asset) in shot.known.enumerated() where asset.file != nil {
            let whole = shot
            let result = await Result { () async throws(IngestError) in try await stage.process(asset, of: whole) }
            switch result {
            case .success(.pass(let read)): shot.known[index] = read
            case .failure(let error) where error.code == .cancelled: throw error
            case .success, .failure: break
            }
        }
    }
}
