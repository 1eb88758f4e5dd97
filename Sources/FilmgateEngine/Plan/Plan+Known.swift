import FilmgateCore

/// What the rules of today say of files that are known from before, without reading them.
extension Plan {
    /// Some rule asks for more than the name and kind of a file.
    var asks: Set<FrameFacts.Fact> {
        let all = Array(rules.values) + profiles.profiles.compactMap(\.deliver).flatMap(\.values)
        return all.reduce(into: []) { $0.formUnion($1.asks) }
    }

    /// Some rule looks at names, or at more than that.
    var hasRules: Bool {
        (Array(rules.values) + profiles.profiles.compactMap(\.deliver).flatMap(\.values)).contains { !$0.isOnlyKinds }
    }

    /// Identities of the targets at which something may wait for marks.
    var gated: Set<String> {
        if !awaits.isEmpty { return Set(targets.map(\.identity)) }
        let profiled = profiles.profiles.compactMap(\.deliver)
        let waiting = targets.filter { target in
            rules[target.name]?.marks.waits == true || profiled.contains { $0[target.name]?.marks.waits == true }
        }
        return Set(waiting.map(\.identity))
    }

    /// Whether a known file can be a matter of what it and its shot say.
    var looksAtFacts: Bool { hasRules || stages.contains(where: \.traits.selects) }

    /// A stage would let that file end as filtered; `members` are the files of its shot, the primary first.
    ///
    /// `own`: the file's place in the shot, which says what a sidecar belongs to.
    func isSelectedOut(
        _ known: KnownFile, _ members: [KnownFile], _ profile: ResolvedProfile, at own: ShotPlace
    ) -> Bool {
        guard stages.contains(where: \.traits.selects) else { return false }
        let place = ShotPlace(key: known.shot, stem: "")
        var shot = Shot(key: known.shot, assets: members.map { $0.remembered(shot: place) })
        shot.mark = PictureMark.latest(of: members.map(\.mark))
        for asset in shot.assets {
            shot.times[asset.id] =
                CaptureTime.corrected(asset, profile: profile) ?? CaptureTime.ofFile(asset.origin.modified)
        }
        let asset = known.remembered(shot: own)
        return stages.contains { $0.refusal(of: asset, in: shot) != nil }
    }

    /// Why nothing takes a file that was read before and ended `filtered`; nil where something may take it, or where it
    /// must be read to know.
    ///
    /// The rules of today are asked: where they have changed, it is read again.
    @Sendable func refusal(_ known: KnownFile, _ shot: KnownShot) -> String? {
        guard known.ending == .filtered, !known.kind.follows else { return nil }
        for stage in stages { if let reason = stage.refusal(ofName: known.name, known.kind) { return reason } }
        let profile = profile(of: known, in: shot)
        if let reason = profile.refusal(of: known.kind) { return reason }
        let frame = frame(of: known, in: shot, profile)
        var reasons: [String] = []
        for target in targets.sorted(by: { $0.name < $1.name }) where uploadTo.contains(target.name) {
            var reason = known.cancelled.contains(target.identity) ? DeliveryRow.cancelledReason : nil
            if let frame,
                case .refuses(let why) = profile.share(of: target.name, rules).decision(on: frame, for: target.name)
            {
                reason = why
            }
            reason = reason ?? target.refusal(of: known.kind) ?? target.refusal(ofName: known.name)
            guard let reason = reason ?? known.pixels.flatMap(target.refusal(ofPixels:)) else { return nil }
            reasons.append("\(target.name): \(reason)")
        }
        return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
    }

    /// Identities of the targets that a known file should have reached; also of those that may want it, once it has
    /// been read.
    func wanted(_ known: KnownFile, in shot: KnownShot = KnownShot()) -> [String] {
        let profile = profile(of: known, in: shot)
        return wanted(known, profile, frame(of: known, in: shot, profile)).map(\.identity)
    }

    func wanted(_ known: KnownFile, _ profile: ResolvedProfile, _ frame: FrameFacts?) -> [PlannedTarget] {
        if profile.refusal(of: known.kind) != nil { return [] }
        return targets.filter { target in
            guard uploadTo.contains(target.name), target.refusal(of: known.kind) == nil,
                target.refusal(ofName: known.name) == nil
            else {
                return false
            }
            if let limit = target.traits.maxSize, known.fingerprint.size > limit { return false }
            if known.pixels.flatMap(target.refusal(ofPixels:)) != nil { return false }
            let share = profile.share(of: target.name, rules)
            guard let frame else {
                // The frame that it goes with is not known: any rule that lets anything through may apply.
                if case .rule(let rule, _) = share { return rule.kinds?.isEmpty != true }
                return true
            }
            if case .refuses = share.decision(on: frame, for: target.name) { return false }
            return true
        }
    }

    /// What holds for the shot: its primary decides, where that is known and says which camera it comes from.
    func profile(of known: KnownFile, in shot: KnownShot) -> ResolvedProfile {
        let lead = shot.speaker(for: known)
        return profiles.resolve(make: lead.make, model: lead.model, serial: lead.serial, owner: lead.owner)
    }

    /// The frame by which a known file is sent; nil where a sidecar's or memo's is not known.
    func frame(
        of known: KnownFile, in shot: KnownShot, _ profile: ResolvedProfile, isClockSure: Bool = false
    ) -> FrameFacts? {
        guard let subject = known.kind.follows ? shot.lead : known else { return nil }
        let asset = subject.remembered(shot: ShotPlace(key: subject.shot, stem: ""))
        var standing = ShotStanding()
        (standing.mark, standing.fileRating, standing.isProtected) = (shot.mark, shot.rating, shot.isProtected)
        var frame = FrameFacts(of: asset, lead: nil, standing, profile)
        if known.kind.follows { frame.kind = FrameFacts.route(among: shot.kinds, primary: frame.kind) }
        // A person's word counts whatever the files say.
        let isRated = frame.pick == .rejected || shot.mark.rating != nil
        if !shot.isRatingKnown, !isRated { frame.unknown.insert(.rating) }
        if !subject.isRead { frame.unknown.formUnion(isRated ? [.pixels, .time] : [.pixels, .time, .rating]) }
        // The photos beside it may say which body's clock it is.
        if !isClockSure, BodySerials.asksPhotos(asset.media ?? MediaFacts(), asset.kind) { frame.unknown.insert(.time) }
        return frame
    }
}
