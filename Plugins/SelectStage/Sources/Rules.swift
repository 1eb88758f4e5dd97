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
        kindRefusal(asset.kind) ?? nameRefusal(asset.origin.name) ?? ratingRefusal(shot) ?? protectionRefusal(shot) ?? timeRefusal(asset)
    }

    private func kindRefusal(_ kind: MediaKind) -> String? {
        guard !config.accept.isEmpty, !config.accept.contains(kind) else { return nil }
        return "kind \(kind.rawValue) is not in `accept: \(config.accept.shown ?? "")`"
    }

    private func nameRefusal(_ name: String) -> String? {
        guard !config.include.isEmpty, !config.include.contains(where: { $0.matches(name) }) else { return nil }
        return "\(name) matches none of `include: \(config.include.shown ?? "")`"
    }

    private func ratingRefusal(_ shot: Shot) -> String? {
        guard let rating = shot.rating else { return config.unrated == .drop ? "not rated, and `unrated: drop`" : nil }
        guard rating < config.minRating else { return nil }
        return "\(rating == -1 ? "rejected (rating -1)" : "rating \(rating)"), below `min_rating: \(config.minRating)`"
    }

    private func protectionRefusal(_ shot: Shot) -> String? {
        switch (config.protected, shot.isProtected) {
        case (.only, false): "not protected in the camera, and `protected: only`"
        case (.skip, true): "protected in the camera, and `protected: skip`"
        default: nil
        }
    }

    private func timeRefusal(_ asset: Asset) -> String? {
        guard config.since != nil || config.until != nil, let time = asset.selectionTime else { return nil }
        if let since = config.since, time.civilSeconds < since.first { return "taken \(time), before `since: \(since.text)`" }
        if let until = config.until, time.civilSeconds > until.last { return "taken \(time), after `until: \(until.text)`" }
        return nil
    }
}
