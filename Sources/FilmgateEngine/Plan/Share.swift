import FilmgateCore

/// What one target gets of one camera's files, and who says so.
enum Share: Sendable {
    case everything
    /// `said` = who says it, as a reason begins: "the profile", "`upload`".
    case rule(DeliveryRule, said: String)

    /// What the frame's rule says of it.
    func decision(on frame: FrameFacts, for target: String) -> DeliveryRule.Decision {
        guard case .rule(let rule, let said) = self else { return .takes }
        if let kinds = rule.kinds, !kinds.contains(frame.kind) {
            let words =
                kinds.isEmpty ? "nothing of this" : "only " + kinds.map(\.rawValue).sorted().joined(separator: ", ")
            return .refuses("\(said) delivers \(words) to \(target)")
        }
        return rule.decision(on: frame)
    }

    /// What it asks of marks.
    var marks: MarkRule { if case .rule(let rule, _) = self { rule.marks } else { MarkRule() } }

    /// Whether another rating of its shot would bring it there.
    func awaitsRating(_ frame: FrameFacts, for target: String) -> Bool {
        var unrated = frame
        unrated.unknown.insert(.rating)
        return decision(on: unrated, for: target) == .undecided
    }
}

extension ResolvedProfile {
    /// A profile's rule replaces the pipeline's for that target.
    ///
    /// A target that a profile's `deliver` does not name keeps the rule that `upload` has for it, and gets nothing
    /// where there is none.
    func share(of target: String, _ defaults: [String: DeliveryRule]) -> Share {
        if let own = deliver?[target] { return .rule(own, said: "the profile") }
        if let common = defaults[target] { return .rule(common, said: "`upload`") }
        return deliver == nil ? .everything : .rule([], said: "the profile")
    }
}

/// What all files of a shot say together, as far as rules ask for it.
struct ShotStanding: Sendable, Hashable {
    /// What people said, and what the files say.
    var mark = PictureMark(), fileRating: Int?
    var isProtected = false
    var rating: Int? { mark.rating(camera: fileRating) }
    var pick: PictureMark.Pick { mark.pick(camera: fileRating) }
    /// Of all files of the shot, read now or not.
    var kinds: Set<MediaKind> = []

    init() {}
    init(_ shot: Shot) { (mark, fileRating, isProtected) = (shot.mark, shot.fileRating, shot.isProtected) }
}

extension FrameFacts {
    /// The kind by which sidecars and memos are sent: that of their shot's RAW or video, else of its primary.
    static func route(among kinds: Set<MediaKind>, primary: MediaKind) -> MediaKind {
        [MediaKind.raw, .video].first(where: kinds.contains) ?? primary
    }

    /// The frame by which a file is sent: itself, for a sidecar or memo the primary of its shot (`lead`), routed by
    /// ``route(among:primary:)``.
    init(of asset: Asset, lead: Asset?, _ standing: ShotStanding, _ profile: ResolvedProfile) {
        let frame = asset.kind.follows ? lead ?? asset : asset
        let kind = asset.kind.follows ? Self.route(among: standing.kinds, primary: frame.kind) : frame.kind
        self.init(kind: kind, name: frame.origin.name)
        pixels = frame.media?.pixels
        time = CaptureTime.corrected(frame, profile: profile) ?? CaptureTime.ofFile(frame.origin.modified)
        (rating, pick, isProtected) = (standing.rating, standing.pick, standing.isProtected)
    }
}
