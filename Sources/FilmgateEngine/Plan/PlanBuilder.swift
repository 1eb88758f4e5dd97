public import FilmgateCore
public import Logging

/// Builds the modules of a checked pipeline file: sign-in first, then targets, stages and sources, so that nothing can
/// be wired in a circle.
public struct PlanBuilder: Sendable {
    public var registry: ModuleRegistry
    public var secrets: any SecretResolver
    public var ledger: (any LedgerReader)?
    public var logger: Logger
    public var state: String
    public var event: String?
    /// What galleries call the event among programs.
    public var eventIDs: [EventPlace: String] = [:]
    /// Where that could not be learned, and why: targets there are held.
    public var unknownEvents: [EventPlace: IngestError] = [:]
    /// Files get names by the plan: two targets that count as one are refused then.
    ///
    /// What was ordered before has its name, and goes there whatever else the plan holds.
    public var placesFiles = false
    /// What the program has for modules that ask for it by its type.
    public var services: [any Sendable] = []

    public init(
        registry: ModuleRegistry, secrets: any SecretResolver, ledger: (any LedgerReader)?, logger: Logger,
        state: String, event: String? = nil
    ) {
        (self.registry, self.secrets, self.ledger) = (registry, secrets, ledger)
        (self.logger, self.state, self.event) = (logger, state, event)
    }

    /// Touches no network, no device and no secret.
    ///
    /// `misconfigured` where a module refuses its options.
    public func plan(_ pipeline: PipelineFile) throws(IngestError) -> Plan {
        var lookup = Lookup(secrets: secrets, ledger: ledger)
        lookup.services = services
        var places: [String: CredentialPlaces] = [:]
        let targets = try targets(pipeline, &lookup, &places)
        let one = placesFiles ? SameTarget.identity(in: targets, areApart: pipeline.areApart) : nil
        if let twins = SameTarget.folder(in: targets) ?? one {
            throw IngestError(.misconfigured, twins.message, advice: twins.advice)
        }
        var stages: [any Stage] = []
        for use in pipeline.stages {
            guard case .stage(let make) = try entry(.stage, use).make else { continue }
            stages.append(try build(use, lookup, make))
        }
        var sources: [any SourceDriver] = [], patterns: [Int: [String]] = [:]
        for use in pipeline.sources {
            guard case .source(let make) = try entry(.source, use).make else { continue }
            patterns[sources.count] = Absence.patterns(use.node)
            let source = try build(use, lookup, make)
            sources.append(source)
            if let mistake = loop(use, source, targets) {
                let place =
                    mistake.mark.line > 0 ? "\(mistake.mark.file):\(mistake.mark.line):\(mistake.mark.column): " : ""
                throw IngestError(.misconfigured, place + mistake.message, advice: mistake.hint)
            }
        }
        var plan = Plan(
            sources: sources, stages: stages, targets: targets, profiles: pipeline.profiles,
            spool: pipeline.spool.max.bytes, event: event)
        plan.patterns = patterns
        plan.backoff = Backoff(first: pipeline.retry.first, cap: max(pipeline.retry.first, pipeline.retry.most))
        plan.places = places
        plan.shared = shared(pipeline, targets)
        plan.station = StationName.inNames(pipeline.catalog?.station)
        plan.signIns = pipeline.auth.compactMap { use in lookup.auth[use.name].map { (use.name, $0) } }
        return plan
    }

    /// What only the built modules can tell of a pipeline file: two targets that would fill the same folder, a source
    /// that would take what is delivered.
    ///
    /// Modules that refuse their options are left out. Touches no network, no device and no secret.
    public func mistakes(in pipeline: PipelineFile) -> [Diagnostic] {
        var lookup = Lookup(secrets: secrets, ledger: ledger)
        lookup.services = services
        var places: [String: CredentialPlaces] = [:]
        guard let targets = try? targets(pipeline, &lookup, &places) else { return [] }
        var found: [ConfigError] = []
        for use in pipeline.sources {
            guard let entry = try? entry(.source, use), case .source(let make) = entry.make,
                let source = try? build(use, lookup, make)
            else {
                continue
            }
            if let loop = loop(use, source, targets) { found.append(loop) }
        }
        return found.map { Diagnostic(.error, $0) } + twins(in: pipeline, targets) + sharing(in: pipeline, targets)
    }

    private func twins(in pipeline: PipelineFile, _ targets: [SameTarget.Named]) -> [Diagnostic] {
        let folder = SameTarget.folder(in: targets)
        guard let twins = folder ?? SameTarget.identity(in: targets, areApart: pipeline.areApart) else { return [] }
        let mark = pipeline.targets.first { $0.name == twins.second }?.mark ?? Mark()
        let mistake = { ConfigError(mark, folder == nil ? "same-target" : "same-folder", $0, hint: twins.advice) }
        guard twins.isByEvent else { return [Diagnostic(.error, mistake(twins.message))] }
        // Each event makes another target of one of them; frames without an event would come to one alone.
        if pipeline.event.required, !pipeline.event.hold { return [] }
        return [Diagnostic(.warning, mistake("Without an event: \(twins.message)"))]
    }

    /// Where a source's folder lies inside a target's or around it.
    private func loop(
        _ use: ModuleUse, _ source: any SourceDriver, _ targets: [(name: String, target: any UploadTarget)]
    ) -> ConfigError? {
        let targets = targets.map { ($0.name, $0.target.traits) }
        for folder in source.folders {
            guard let overlap = Overlap(folder, targets: targets) else { continue }
            return ConfigError(
                Self.place(of: folder, in: use.node) ?? use.mark, "overlap", overlap.message, hint: Overlap.advice)
        }
        return nil
    }

    /// Where the options name a folder; a leading `~` may stand for its beginning.
    private static func place(of folder: String, in node: ConfigNode) -> Mark? {
        switch node.value {
        case .scalar(let text, _):
            (text.hasPrefix("~") ? folder.hasSuffix(text.dropFirst()) : text == folder) ? node.mark : nil
        case .list(let items): items.lazy.compactMap { place(of: folder, in: $0) }.first
        case .map(let pairs): pairs.lazy.compactMap { place(of: folder, in: $0.value) }.first
        case .null: nil
        }
    }

    /// The targets in file order; `lookup` gets to know the sign-ins, `places` where each may be used.
    func targets(
        _ pipeline: PipelineFile, _ lookup: inout Lookup, _ places: inout [String: CredentialPlaces]
    ) throws(IngestError) -> [(name: String, target: any UploadTarget)] {
        for use in pipeline.auth {
            guard case .auth(let make) = try entry(.auth, use).make else { continue }
            let own = CredentialPlaces(use.name)
            places[use.name] = own
            lookup.auth[use.name] = try signIn(use, lookup, own, make)
        }
        var targets: [(name: String, target: any UploadTarget)] = []
        for use in pipeline.targets {
            guard case .target(let make) = try entry(.target, use).make else { continue }
            targets.append((use.name, try target(use, lookup, make)))
        }
        return targets
    }

    /// A sign-in whose typed-in secrets serve where targets bind it to, and at the addresses of its own options.
    private func signIn(
        _ use: ModuleUse, _ lookup: Lookup, _ places: CredentialPlaces,
        _ make: (ConfigNode, ModuleContext, inout [ConfigError]) throws(IngestError) -> any AuthProvider
    ) throws(IngestError) -> any AuthProvider {
        var own = lookup
        own.secrets = secrets.serving(places)
        for address in Self.addresses(in: use.node) { places.add(address) }
        let lookup = own
        return try CredentialPlaces.$current.withValue(places) {
            Result { () throws(IngestError) in try build(use, lookup, make) }
        }.get()
    }

    private static func addresses(in node: ConfigNode) -> [String] {
        switch node.value {
        case .scalar(let text, _): ["http://", "https://"].contains { text.lowercased().hasPrefix($0) } ? [text] : []
        case .list(let items): items.flatMap { addresses(in: $0) }
        case .map(let pairs): pairs.flatMap { addresses(in: $0.value) }
        case .null: []
        }
    }

    /// A target of a gallery that has an id for the event is built with that.
    private func target(
        _ use: ModuleUse, _ lookup: Lookup,
        _ make: (ConfigNode, ModuleContext, inout [ConfigError]) throws(IngestError) -> any UploadTarget
    ) throws(IngestError) -> any UploadTarget {
        let target = try build(use, lookup, make)
        guard let directory = target as? any EventDirectory else { return target }
        let signIns = try entry(.target, use).references(use.node).map { ($0.name, lookup.auth[$0.name]?.account) }
        let place = EventPlace(directory.gallery, signIns)
        if let trouble = unknownEvents[place] { return HeldTarget(target, trouble) }
        guard let id = eventIDs[place], id != event else { return target }
        var builder = self
        builder.event = id
        return try builder.build(use, lookup, make)
    }

    private func entry(_ kind: ModuleKind, _ use: ModuleUse) throws(IngestError) -> ModuleEntry {
        guard let entry = registry.entry(kind, use.module) else {
            throw IngestError(.misconfigured, "There is no \(kind.rawValue) module called `\(use.module)`.")
        }
        return entry
    }

    private func build<Role>(
        _ use: ModuleUse, _ lookup: Lookup,
        _ make: (ConfigNode, ModuleContext, inout [ConfigError]) throws(IngestError) -> Role
    ) throws(IngestError) -> Role {
        var errors: [ConfigError] = []
        let context = ModuleContext(name: use.name, logger: logger, state: state, event: event, lookup: lookup)
        let role = try make(use.node, context, &errors)
        if let first = errors.first {
            throw IngestError(.misconfigured, "`\(use.name)`: \(first.message)", advice: first.hint)
        }
        return role
    }
}
