import FilmgateCore

/// Turns the tree of a pipeline file into a `PipelineFile`, collecting every mistake on the way.
struct PipelineDecoder {
    static let uploadStage = "upload"
    static let version = 1
    /// Nobody reads more, and a hostile file must not buy an hour of looking for the nearest names.
    static let maxDiagnostics = 200

    let registry: ModuleRegistry
    let includes: IncludeSearch
    let zones: ZoneDatabase
    /// At most `maxDiagnostics` of each severity; `hasErrors` knows of the others too.
    private(set) var diagnostics: [Diagnostic] = []
    private(set) var hasErrors = false
    private var errorCount = 0, warningCount = 0
    /// Files whose profiles have been taken, and those that are being read now, by canonical path.
    var included: Set<String> = [], including: [String] = []
    /// Sections that could not be read: what refers into them is not judged.
    var broken: Set<ModuleKind> = []
    /// Names under `targets:`, and those that a misspelt name probably meant.
    var targetNames: Set<String> = [], meant: Set<String> = []
    /// Profiles that are read after all others.
    var lastProfiles: String?
    var zonesByName: [String: Result<ZoneRules, ZoneDatabase.Fault>] = [:]
    /// Values that may be secrets: never shown.
    var hidden: [Mark] = []
    /// Texts of all files read so far, by the name that marks give them.
    var texts: [String: String] = [:]

    init(registry: ModuleRegistry, includes: IncludeSearch, zones: ZoneDatabase) {
        (self.registry, self.includes, self.zones) = (registry, includes, zones)
    }

    mutating func decode(_ root: ConfigNode, file: String) -> PipelineFile {
        var pipeline = PipelineFile(file: file)
        if isStranger(root) {
            hide(root)
            error(
                root.mark, "not-a-pipeline", "This does not look like a pipeline: nothing of what it should hold is there.",
                hint: "A pipeline begins with `version: 1`; `filmgate schema` describes the rest.")
            return pipeline
        }
        let keys: PipelineKeys = section(root)
        for kind in ModuleKind.allCases where diagnostics.contains(where: { $0.error.hint == "Did you mean `\(kind.section)`?" }) {
            broken.insert(kind)
        }
        checkVersion(keys.version, root)
        pipeline.name = keys.name.isEmpty ? nil : keys.name
        pipeline.event = section(keys.event)
        pipeline.spool = section(keys.spool)
        pipeline.retry = section(keys.retry)
        (pipeline.copies, pipeline.copiesMark) = (keys.copies, root["copies"]?.mark ?? root.mark)
        pipeline.modules = programs(keys.modules, root["modules"])
        pipeline.sources = moduleList(keys.sources, .source)
        pipeline.stages = moduleList(keys.stages, .stage)
        pipeline.targets = moduleMap(keys.targets, .target)
        pipeline.auth = moduleMap(keys.auth, .auth)
        pipeline.hooks = hooks(keys.hooks)
        including = [includes.canonical(file)]
        let own = profiles(keys.profiles)
        var included = includedProfiles(keys.include, from: file)
        if let lastProfiles {
            included += includedProfiles(ConfigNode(.list([ConfigNode(.scalar(lastProfiles, quoted: true))])), from: file)
        }
        pipeline.profiles = ProfileSet(own + included)
        check(pipeline, root)
        return pipeline
    }

    /// Another program's file: its lines are not told one by one, they may be nobody's business.
    private func isStranger(_ root: ConfigNode) -> Bool {
        if case .scalar = root.value { return true }
        guard case .map(let pairs) = root.value, pairs.count > 1 else { return false }
        let names = PipelineKeys.schema.descriptions.map(\.name)
        return !pairs.contains { nearest($0.key.name, among: names) != nil || names.contains($0.key.name) }
    }

    mutating func error(_ mark: Mark, _ code: String, _ message: String, hint: String? = nil) {
        report(ConfigError(mark, code, message, hint: hint))
    }

    mutating func warn(_ mark: Mark, _ code: String, _ message: String, hint: String? = nil) {
        warningCount += 1
        if warningCount <= Self.maxDiagnostics { diagnostics.append(.warning(mark, code, message, hint: hint)) }
    }

    /// Further errors would not be shown.
    var isFull: Bool { errorCount >= Self.maxDiagnostics }

    /// Gives the errors since `start` another hint where `hint` has one.
    mutating func explain(since start: Int, _ hint: (ConfigError) -> String?) {
        for index in start..<diagnostics.count {
            diagnostics[index].error.hint = hint(diagnostics[index].error) ?? diagnostics[index].error.hint
        }
    }

    /// Remembers every plain value below `node` as one that must not be shown.
    mutating func hide(_ node: ConfigNode) {
        switch node.value {
        case .null: break
        case .scalar: if (try? Secret(node: node)) == nil { hidden.append(node.mark) }
        case .list(let items): for item in items { hide(item) }
        case .map(let pairs): for pair in pairs { hide(pair.value) }
        }
    }

    mutating func report(_ error: ConfigError) {
        hasErrors = true
        errorCount += 1
        if errorCount <= Self.maxDiagnostics { diagnostics.append(Diagnostic(.error, error)) }
    }

    /// Decodes a map of plain options.
    mutating func section<Section: ModuleConfig>(_ node: ConfigNode) -> Section {
        var errors: [ConfigError] = []
        let section = Section.schema.decode(node, errors: &errors)
        for var error in errors {
            if error.code == "missing-key", error.message.hasPrefix("`version`") { error.hint = "Begin the file with `version: 1`." }
            report(error)
        }
        return section
    }

    /// An absent or mistyped version has been reported already and reads as 0.
    mutating func checkVersion(_ version: Int, _ root: ConfigNode) {
        guard let node = root["version"], version != Self.version, (try? Int(node: node)) != nil else { return }
        error(
            node.mark, "unsupported-version", "Version \(version) of the file's format is not known.", hint: "This program reads version 1."
        )
    }
}
