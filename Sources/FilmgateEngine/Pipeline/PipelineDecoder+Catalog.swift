public import FilmgateCore

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
