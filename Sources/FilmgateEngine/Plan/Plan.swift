public import FilmgateCore

/// A pipeline file resolved and checked: every module built, every name bound.
public struct Plan: Sendable {
    /// In the order of the pipeline file.
    public internal(set) var sources: [any SourceDriver]
    /// Where each of them looks, as its options say it, when all of that are patterns; by its position.
    var patterns: [Int: [String]] = [:]
    var stages: [any Stage]
    /// In file order; folder targets deliver first.
    var targets: [PlannedTarget]
    var profiles: ProfileSet
    /// Bytes that may wait in staging.
    var spool: UInt64
    /// Targets that some stage delivers to; what the profile says nothing else about goes there.
    var uploadTo: Set<String>
    /// What they get where no profile says otherwise; absent: everything.
    var rules: [String: DeliveryRule] = [:]
    /// What holds for all targets, where frames wait for marks.
    var awaits: [MarkRule] = []
    /// Known files are not read again.
    var recognises: Bool
    /// A known file whose times moved by the same whole hours is still known.
    var hourShift: Bool

    /// What several stations deliver to; none without a catalogue.
    public internal(set) var shared = SharedTargets()
    /// What this station is called in names.
    var station = ""

    /// How soon a target that did not answer is tried again.
    var backoff = Backoff()

    /// The sign-ins by name, in file order; targets have told them by now where they may be used.
    public internal(set) var signIns: [(name: String, provider: any AuthProvider)] = []
    /// Where each of them may be used, by its name.
    public internal(set) var places: [String: CredentialPlaces] = [:]

    public init(
        sources: [any SourceDriver], stages: [any Stage], targets: [(name: String, target: any UploadTarget)],
        profiles: ProfileSet, spool: UInt64, event: String? = nil
    ) {
        self.init(
            sources: sources, stages: stages, targets: targets, profiles: profiles, spool: spool, event: event,
            clock: TimerQueue.shared)
    }

    /// `clock` is the one of the run.
    init(
        sources: [any SourceDriver], stages: [any Stage], targets: [(name: String, target: any UploadTarget)],
        profiles: ProfileSet, spool: UInt64, event: String? = nil, clock: any RunClock
    ) {
        (self.sources, self.stages, self.profiles, self.spool) = (sources, stages, profiles, spool)
        let traits = stages.map(\.traits)
        let workers = traits.compactMap(\.workers).first
        self.targets = targets.map { name, target in
            PlannedTarget(name: name, target: target, workers: workers, event: event, clock: clock)
        }
        uploadTo = Set(traits.flatMap(\.deliversTo))
        for stage in traits { rules.merge(stage.rules) { $1 } }
        awaits = traits.compactMap(\.awaits)
        recognises = traits.contains(where: \.recognises)
        hourShift = traits.contains(where: \.hourShift)
    }

    /// The targets by name, to be asked one by one.
    public var connections: [(name: String, target: any UploadTarget)] { targets.map { ($0.name, $0.target) } }

    /// One plan with the targets of all, each identity once: for sending what several pipelines left waiting.
    public static func union(_ plans: [Plan]) -> Plan {
        guard var first = plans.first else {
            return Plan(sources: [], stages: [], targets: [], profiles: ProfileSet(), spool: ByteCount(64 << 30).bytes)
        }
        for plan in plans.dropFirst() {
            for target in plan.targets where !first.targets.contains(where: { $0.identity == target.identity }) {
                first.targets.append(target)
            }
            first.uploadTo.formUnion(plan.uploadTo)
            first.shared.add(plan.shared)
            first.signIns += plan.signIns.filter { new in !first.signIns.contains { $0.name == new.name } }
        }
        return first
    }

    /// Kinds that some profile may accept; without one that says otherwise, all media and sidecars.
    var acceptable: Set<MediaKind> {
        let ordinary = Set(MediaKind.allCases).subtracting([.other])
        return profiles.profiles.compactMap(\.accept).reduce(ordinary) { $0.union($1) }
    }
}
