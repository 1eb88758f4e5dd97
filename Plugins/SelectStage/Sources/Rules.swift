import FilmgateCore

/// The rules of one `select` entry, applied to shots.
///
/// Reasons name the rule as the pipeline file spells it.
struct Rules: Sendable {
    private let config: SelectStage.Config

    init(_ config: SelectStage.Config) { self.config = config }

    /// Why `asset` does not pass; nil when it does.
    func refusal(of asset: Asset, in shot: Shot) -> String? {
        if let reason = excluded(asset.origin.name) { return reason }
        let leaders = asset.kind.follows ? shot.leaders(of: asset) : []
        guard let first = leaders.first else { return judge(asset, in: shot) }
        let reasons = leaders.map { excluded($0.origin.name) ?? judge($0, in: shot) }
        guard reasons.allSatisfy({ $0 != nil }), let reason = reasons[0] else { return nil }
        return "goes with \(first.origin.name): \(reason)"
    }

    /// What is decided by name and kind alone, for a frame.
    func refusal(ofName name: String, _ kind: MediaKind) -> String? {
        excluded(name) ?? kindRefusal(kind) ?? nameRefusal(name)
    }

    private func excluded(_ name: String) -> String? {
        config.exclude.first { $0.matches(name) }.map { "\(name) matches `exclude: \($0.source)`" }
    }

    private func judge(_ asset: Asset, in shot: Shot) -> String? {
        kindRefusal(asset.kind) ?? nameRefusal(asset.origin.name)
            ?? markRefusal(shot) ?? protectionRefusal(shot)
            ?? timeRefusal(asset, in: shot)
    }

    private func kindRefusal(_ kind: MediaKind) -> String? {
        config.accept.isEmpty ? nil : SelectionRule.refusal(of: kind, outside: config.accept, option: "accept")
    }

    private func nameRefusal(_ name: String) -> String? {
        guard !config.include.isEmpty, !config.include.contains(where: { $0.matches(name) }) else { return nil }
        return "\(name) matches none of `include: \(config.include.shown ?? "")`"
    }

    /// A frame that waits passes: it waits at the targets.
    private func markRefusal(_ shot: Shot) -> String? {
        guard case .refuses(let reason) = config.marks.decision(rating: shot.rating, pick: shot.pick) else {
            return nil
        }
        return reason
    }

    private func protectionRefusal(_ shot: Shot) -> String? {
        switch config.protected {
        case .any: nil
        case .only: SelectionRule.refusal(unprotected: shot.isProtected)
        case .skip: shot.isProtected ? "protected in the camera, and `protected: skip`" : nil
        }
    }

    /// By the corrected clock: a wrong clock is the very case in which somebody selects by time.
    private func timeRefusal(_ asset: Asset, in shot: Shot) -> String? {
        guard config.asksTimes, let time = shot.times[asset.id] ?? asset.media?.captured else { return nil }
        return SelectionRule.refusal(taken: time, since: config.since, until: config.until)
    }
}
