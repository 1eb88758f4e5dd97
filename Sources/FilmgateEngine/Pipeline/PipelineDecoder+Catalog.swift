public import FilmgateCore

/// `catalog:`: the module that reaches the catalogue, and who this station says to be.
public struct CatalogUse: Sendable, Hashable {
    public var use: ModuleUse, station: StationRule
    public init(use: ModuleUse, station: StationRule) { (self.use, self.station) = (use, station) }
}

/// What a station says of itself.
public struct StationRule: Sendable, Hashable, ModuleConfig {
    /// What becomes of deliveries to shared targets while the catalogue does not answer.
    public enum WhenAway: String, Sendable, Hashable, CaseIterable, ConfigValue {
        /// Those go on whose target can be asked, or takes bytes twice without harm.
        case deliver
        case hold
    }
    public var station = "", site = "", share: [TargetReference] = [], whenAway = WhenAway.deliver, oneMachine = false
    public init() {}
    public static let schema: Schema<Self> = [
        .field("station", \.station, "The name of this station; absent: this machine's."),
        .field("site", \.site, "Where it stands, for people."),
        .field("share", \.share, "Targets that several stations deliver to: each frame is sent there by one of them."),
        .field(
            "when_away", \.whenAway,
            "What cannot be claimed while the catalogue is away: `deliver` what the target can be asked about or takes twice, or `hold` all."
        ),
        .field(
            "one_machine", \.oneMachine,
            "All stations run on this machine: then its own addresses may be shared. For trying out."),
    ]

    public func validate(at node: ConfigNode) throws(ConfigError) {
        for (key, text) in [("station", station), ("site", site)] where !Self.isName(text) {
            throw ConfigError(
                node[key]?.mark ?? node.mark, "bad-name", "`\(key)` cannot be this name.",
                hint: "Use one line of at most 64 bytes, with no space before or behind it and no control characters.")
        }
        if station.isEmpty, let empty = node["station"] {
            throw ConfigError(
                empty.mark, "bad-name", "`station` cannot be empty.", hint: "Leave it out for this machine's name.")
        }
    }

    /// Empty where nobody said.
    ///
    /// Two names that people cannot tell apart would be two stations.
    public static func isName(_ text: String) -> Bool {
        text.utf8.count <= 64 && text.unicodeScalars.allSatisfy { !isControl($0) } && text.first?.isWhitespace != true
            && text.last?.isWhitespace != true
    }

    /// Those, too, that turn the direction of writing or end a line.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case ..<0x20, 0x7F...0x9F, 0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF: true
        default: false
        }
    }
}

extension PipelineDecoder {
    func catalog(_ node: ConfigNode) -> CatalogUse? {
        guard case .map(let pairs) = node.value else {
            if node.value != .null {
                problems.error(
                    node.mark, "wrong-type", "Expected a catalogue with its options, found \(node.kindName).",
                    hint: knownModules(.catalog))
            }
            return nil
        }
        let words = StationRule.schema.descriptions.map(\.name)
        let station: StationRule = problems.section(
            ConfigNode(.map(pairs.filter { words.contains($0.key.name) }), node.mark))
        let others = pairs.filter { !words.contains($0.key.name) }
        // Beside a module that is known, every other key is a slip, not a second module.
        guard let module = others.first(where: { registry.entry(.catalog, $0.key.name) != nil }) ?? others.first else {
            problems.error(node.mark, "no-module", "No catalogue is named here.", hint: knownModules(.catalog))
            return nil
        }
        for pair in others where pair.key != module.key { reportOther(pair.key, beside: module.key, words) }
        guard let entry = entry(.catalog, module.key) else { return nil }
        lint(module, entry)
        return CatalogUse(
            use: ModuleUse(name: module.key.name, module: module.key.name, node: module.value, mark: module.key.mark),
            station: station)
    }

    private func reportOther(_ key: ConfigNode.Key, beside module: ConfigNode.Key, _ words: [String]) {
        if registry.entry(.catalog, key.name) != nil {
            return problems.error(
                key.mark, "not-single-key", "A station has one catalogue; `\(key.name)` is a second one.")
        }
        if let entry = registry.entry(.catalog, module.name), entry.fields.contains(where: { $0.name == key.name }) {
            return problems.error(
                key.mark, "not-single-key", "`\(key.name)` stands beside `\(module.name)`, not below it.",
                hint: "Indent the options of `\(module.name)` by two more spaces.")
        }
        let hint =
            nearest(key.name, among: words).map { "Did you mean `\($0)`?" }
            ?? "Known keys: \(words.joined(separator: ", "))."
        problems.error(key.mark, "unknown-key", "Unknown key `\(key.name)`.", hint: hint)
    }
}

extension PlanBuilder {
    /// The catalogue that a pipeline names; nil where it names none.
    ///
    /// `services`: what the module may look for by type. Touches no network and no secret. `misconfigured`.
    public func catalog(of pipeline: PipelineFile, services: [any Sendable] = []) throws(IngestError) -> (any Catalog)?
    {
        guard let use = pipeline.catalog?.use, case .catalog(let make)? = registry.entry(.catalog, use.module)?.make
        else { return nil }
        var errors: [ConfigError] = []
        var lookup = Lookup(secrets: secrets)
        lookup.services = services
        let context = ModuleContext(name: use.name, logger: logger, state: state, lookup: lookup)
        let catalog = try make(use.node, context, &errors)
        if let first = errors.first {
            throw IngestError(.misconfigured, "`catalog`: \(first.message)", advice: first.hint)
        }
        return catalog
    }
}
