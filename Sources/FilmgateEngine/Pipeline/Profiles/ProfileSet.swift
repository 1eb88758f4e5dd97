public import FilmgateCore

/// All profiles of a pipeline, the including file's before the included ones'.
public struct ProfileSet: Sendable {
    public let profiles: [Profile]

    public init(_ profiles: [Profile] = []) { self.profiles = profiles }

    /// What holds for one camera: all profiles that match, merged key by key.
    ///
    /// The more specific wins; ties go to the earlier profile. Pure: the same body gives the same answer, so callers
    /// may keep it.
    public func resolve(_ body: CameraBody) -> ResolvedProfile {
        let matching = profiles.enumerated().filter { $0.element.matchRule.matches(body) }
        let ordered = matching.sorted { a, b in
            let (first, second) = (a.element.matchRule.rank, b.element.matchRule.rank)
            return first == second ? a.offset < b.offset : first > second
        }
        var resolved = ResolvedProfile()
        for (_, profile) in ordered { resolved.fill(from: profile) }
        return resolved
    }

    public func resolve(make: String?, model: String?, serial: String?, owner: String?) -> ResolvedProfile {
        resolve(CameraBody(make: make, model: model, serial: serial, owner: owner))
    }
}

/// What holds for one camera, and which rule said so.
public struct ResolvedProfile: Sendable {
    /// The profile that decided a key.
    public struct Rule: Sendable, Hashable {
        public var mark: Mark, rank: ProfileMatch.Rank
    }
    public private(set) var photographer: String?
    public private(set) var clockOffset: ClockOffset?
    public private(set) var zone: ZoneRules?
    public private(set) var accept: Set<MediaKind>?
    public private(set) var deliver: [String: DeliveryRule]?
    public private(set) var rename: Template?
    public private(set) var movieClock: MovieClock?
    public private(set) var conventions: MakeConventions?
    public private(set) var stamp: StampRule?
    /// By the key's name in the file, such as `clock_offset`.
    public private(set) var decided: [String: Rule] = [:]

    /// Why `accept` does not take files of that kind; nil when it does.
    func refusal(of kind: MediaKind) -> String? {
        guard let accept, !accept.contains(kind) else { return nil }
        return "the profile accepts only \(accept.map(\.rawValue).sorted().joined(separator: ", "))"
    }
    /// All that matched, the most specific first.
    public private(set) var matched: [Rule] = []

    public init() {}

    /// Takes from `profile` what is not decided yet.
    mutating func fill(from profile: Profile) {
        let rule = Rule(mark: profile.mark, rank: profile.matchRule.rank)
        matched.append(rule)
        take("photographer", profile.photographer, into: \.photographer, rule)
        take("clock_offset", profile.clockOffset, into: \.clockOffset, rule)
        take("zone", profile.zone, into: \.zone, rule)
        take("accept", profile.accept.map { Set($0) }, into: \.accept, rule)
        take("deliver", profile.deliver, into: \.deliver, rule)
        take("rename", profile.rename, into: \.rename, rule)
        take("movie_clock", profile.movieClock, into: \.movieClock, rule)
        take("habits", profile.conventions, into: \.conventions, rule)
        if let stamp, let further = profile.stamp {
            self.stamp = stamp.filled(from: further)
        } else {
            take("stamp", profile.stamp, into: \.stamp, rule)
        }
    }

    /// The same, with the clock of `other` where that has one.
    func taking(clockOf other: ResolvedProfile) -> ResolvedProfile {
        guard let offset = other.clockOffset else { return self }
        var profile = self
        (profile.clockOffset, profile.decided["clock_offset"]) = (offset, other.decided["clock_offset"])
        return profile
    }

    private mutating func take<Value>(
        _ key: String, _ value: Value?, into path: WritableKeyPath<Self, Value?>, _ rule: Rule
    ) {
        guard let value, decided[key] == nil else { return }
        self[keyPath: path] = value
        decided[key] = rule
    }
}

extension Profile {
    /// The names of the keys that it decides.
    var keys: Set<String> {
        var resolved = ResolvedProfile()
        resolved.fill(from: self)
        return Set(resolved.decided.keys)
    }
}
