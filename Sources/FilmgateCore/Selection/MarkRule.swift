/// What a rule asks of the marks of a picture, and what it does with one that nobody has marked yet.
public struct MarkRule: Sendable, Hashable {
    public var picks = Picks.any, minRating = -1, unrated = Unrated.pass

    public init(picks: Picks = .any, minRating: Int = -1, unrated: Unrated = .pass) {
        (self.picks, self.minRating, self.unrated) = (picks, minRating, unrated)
    }

    /// Something may wait because of it.
    public var waits: Bool { picks == .only || unrated == .wait }

    public static let notPicked = "not picked", notRated = "not rated", rejected = "rejected"

    /// `rating` and `pick` as `PictureMark` gives them, of the camera's word, too.
    public func decision(rating: Int?, pick: PictureMark.Pick) -> DeliveryRule.Decision {
        if picks == .only, pick == .rejected { return .refuses(Self.rejected) }
        if let reason = SelectionRule.refusal(rating: rating, below: minRating, unrated: unrated) {
            return .refuses(reason)
        }
        if picks == .only, pick != .picked { return .waits(Self.notPicked) }
        return rating == nil && unrated == .wait ? .waits(Self.notRated) : .takes
    }
}

/// Why a delivery may wait for a person: kept with it, so that whoever sends it later judges as the run that ordered
/// it.
public struct MarkGate: Sendable, Hashable {
    /// All must let it pass.
    public var rules: [MarkRule]
    /// The SHA-256 of the picture whose marks count: for a sidecar or memo that of its shot's.
    public var sha256: String
    /// The shot's rating as its files say it.
    public var camera: Int?

    public init(_ rules: [MarkRule], sha256: String, camera: Int?) {
        (self.rules, self.sha256, self.camera) = (rules, sha256, camera)
    }

    /// Never `undecided`.
    public func decision(on mark: PictureMark) -> DeliveryRule.Decision {
        let (rating, pick) = (mark.rating(camera: camera), mark.pick(camera: camera))
        var waits: DeliveryRule.Decision?
        for decision in rules.map({ $0.decision(rating: rating, pick: pick) }) {
            switch decision {
            case .refuses: return decision
            case .waits: waits = waits ?? decision
            case .takes, .undecided: break
            }
        }
        return waits ?? .takes
    }
}

/// As ledgers keep it: `camera=4;picks=only min_rating=3 unrated=wait`.
extension MarkGate {
    public var text: String {
        let rules = rules.map { "picks=\($0.picks.rawValue) min_rating=\($0.minRating) unrated=\($0.unrated.rawValue)" }
        return (["camera=\(camera.map(String.init) ?? "")"] + rules).joined(separator: ";")
    }

    /// Nil for what is no such text.
    public init?(_ text: String, sha256: String) {
        let parts = text.split(separator: ";").map(Self.values)
        guard let first = parts.first, let camera = first["camera"], parts.count > 1 else { return nil }
        var rules: [MarkRule] = []
        for part in parts.dropFirst() {
            guard let picks = part["picks"].flatMap({ Picks(rawValue: $0) }),
                let least = part["min_rating"].flatMap({ Int($0) }),
                let unrated = part["unrated"].flatMap({ Unrated(rawValue: $0) })
            else { return nil }
            rules.append(MarkRule(picks: picks, minRating: least, unrated: unrated))
        }
        self.init(rules, sha256: sha256, camera: Int(camera))
    }

    private static func values(_ part: Substring) -> [String: String] {
        part.split(separator: " ").reduce(into: [:]) { values, word in
            let pair = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if pair.count == 2 { values[String(pair[0])] = String(pair[1]) }
        }
    }
}
