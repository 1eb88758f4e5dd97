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
    /// Known files are not read again.
    var recognises: Bool
    /// A known file whose time moved by whole hours is still known.
    var hourShift: Bool

    /// How soon a target that did not answer is tried again.
    var backoff = Backoff()

    /// The sign-ins by name, in file order; targets have told them by now where they may be used.
    public internal(set) var signIns: [(name: String, provider: any AuthProvider)] = []
    /// Where each of them may be used, by its name.
    public internal(set) var places: [String: CredentialPlaces] = [:]

    public init(
        sources: [any SourceDriver], stages: [any Stage], targets: [(name: String, target: any UploadTarget)], profiles: ProfileSet,
        spool: UInt64
    ) {
        (self.sources, self.stages, self.profiles, self.spool) = (sources, stages, profiles, spool)
        let traits = stages.map(\.traits)
        let workers = traits.compactMap(\.workers).first
        self.targets = targets.map { PlannedTarget(name: $0.name, target: $0.target, workers: workers) }
        uploadTo = Set(traits.flatMap(\.deliversTo))
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
            first.signIns += plan.signIns.filter { new in !first.signIns.contains { $0.name == new.name } }
        }
        return first
    }

    /// Kinds that some profile may accept; without one that says otherwise, all media and sidecars.
    var acceptable: Set<MediaKind> {
        let ordinary = Set(MediaKind.allCases).subtracting([.other])
        return profiles.profiles.compactMap(\.accept).reduce(ordinary) { $0.union($1) }
    }

    /// Why nothing takes a file that was read before and ended `filtered`, by its kind and name alone; nil where other facts or its
    /// shot decide.
    ///
    /// The rules of today are asked: where they have changed, it is read again.
    @Sendable func refusal(_ known: KnownFile) -> String? {
        guard known.ending == .filtered, !known.kind.follows else { return nil }
        let name = known.fingerprint.path.split(separator: "/").last.map(String.init) ?? ""
        for stage in stages { if let reason = stage.refusal(ofName: name, known.kind) { return reason } }
        let profile = profiles.resolve(make: known.make, model: known.model, serial: known.serial, owner: known.owner)
        if let reason = profile.refusal(of: known.kind) { return reason }
        var reasons: [String] = []
        for target in targets.sorted(by: { $0.name < $1.name }) where uploadTo.contains(target.name) {
            let only = profile.deliver.map { $0[target.name] ?? [] }
            guard let reason = target.refusal(of: known.kind, routed: known.kind, only: only) ?? target.refusal(ofName: name) else {
                return nil
            }
            reasons.append("\(target.name): \(reason)")
        }
        return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
    }

    /// The targets that take this file by the rules of today.
    func wanted(_ asset: Asset) -> [PlannedTarget] {
        let facts = asset.media
        let profile = profiles.resolve(make: facts?.make, model: facts?.model, serial: facts?.serial, owner: facts?.owner)
        if profile.refusal(of: asset.kind) != nil { return [] }
        return targets.filter { target in
            let only = profile.deliver.map { $0[target.name] ?? [] }
            return uploadTo.contains(target.name) && target.refusal(of: asset, routed: asset.kind, only: only) == nil
        }
    }

    /// Identities of the targets that a known file should have reached.
    func wanted(_ known: KnownFile) -> [String] {
        let profile = profiles.resolve(make: known.make, model: known.model, serial: known.serial, owner: known.owner)
        if let accept = profile.accept, !accept.contains(known.kind) { return [] }
        return targets.filter { target in
            guard uploadTo.contains(target.name) else { return false }
            if let accepts = target.traits.accepts, !accepts.contains(known.kind) { return false }
            if let limit = target.traits.maxSize, known.fingerprint.size > limit { return false }
            let ext = FileName(known.fingerprint.path).ext.lowercased()
            if let extensions = target.traits.extensions, !extensions.contains(ext) { return false }
            // Sidecars and memos go where their shot goes: for them any rule may apply, so no kind is ruled out.
            if known.kind.follows { return profile.deliver.map { $0[target.name] != nil } ?? true }
            return profile.deliver.map { $0[target.name]?.contains(known.kind) == true } ?? true
        }.map(\.identity)
    }
}
