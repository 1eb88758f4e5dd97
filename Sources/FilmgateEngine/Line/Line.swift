import FilmgateCore

/// What the stages decided about one asset.
struct Passed: Sendable {
    enum Decision: Sendable {
        case deliver(to: [String])
        case finish(Ending, reason: String, twin: String?)
    }
    var asset: Asset
    var decision: Decision
}

/// Takes the assets of one shot through the stages: stage by stage, the primary first, so that a sidecar's facts are known when its picture is judged.
struct Line: Sendable {
    let stages: [any Stage]
    var desk: StampDesk?

    func pass(_ shot: Shot) async -> [Passed] {
        var shot = shot
        var decided: [AssetID: Passed] = [:]
        for stage in stages {
            if stage.traits.stamps { shot.stamping = desk?.stamping(for: shot) }
            for index in shot.assets.indices where decided[shot.assets[index].id] == nil {
                let result = await Result { () async throws(IngestError) in try await stage.process(shot.assets[index], of: shot) }
                switch result {
                case .success(.pass(let asset)): shot.assets[index] = asset
                case .success(.finish(let asset, let ending, let reason, let twin)):
                    shot.assets[index] = asset
                    decided[asset.id] = Passed(asset: asset, decision: .finish(ending, reason: reason, twin: twin))
                case .success(.deliver(let asset, let targets)):
                    shot.assets[index] = asset
                    decided[asset.id] = Passed(asset: asset, decision: .deliver(to: targets))
                case .failure(let error):
                    decided[shot.assets[index].id] = Passed(
                        asset: shot.assets[index], decision: .finish(.setAside, reason: error.description, twin: nil))
                }
            }
        }
        return shot.assets.map { asset in
            decided[asset.id] ?? Passed(asset: asset, decision: .finish(.filtered, reason: "no stage delivers it", twin: nil))
        }
    }
}
