import FilmgateCore

/// Turns the tree of a pipeline file into a `PipelineFile`, collecting every mistake on the way.
struct PipelineDecoder {
    static let uploadStage = "upload"
    static let version = 1

    let registry: ModuleRegistry
    let problems: DiagnosticCollector
    /// Sections that could not be read: what refers into them is not judged.
    var broken: Set<ModuleKind> = []
    /// Profiles, the file's own and those that it includes.
    var profiles: ProfileReader

    init(registry: ModuleRegistry, includes: IncludeSearch, zones: ZoneDatabase, problems: DiagnosticCollector) {
        self.registry = registry
        self.problems = problems
        profiles = ProfileReader(includes: includes, zones: zones, problems: problems)
    }

    mutating func decode(_ root: ConfigNode, file: String) -> PipelineFile {
        var pipeline = PipelineFile(file: file)
        if isStranger(root) {
            problems.hide(root)
            problems.error(
                root.mark, "not-a-pipeline",
                "This does not look like a pipeline: nothing of what it should hold is there.",
                hint: "A pipeline begins with `version: 1`; `filmgate schema` describes the rest.")
            return pipeline
        }
        let keys: PipelineKeys = problems.section(root)
        for kind in ModuleKind.allCases
        where problems.all.contains(where: { $0.error.hint == "Did you mean `\(kind.section)`?" }) {
            broken.insert(kind)
        }
        problems.checkVersion(keys.version, root)
        pipeline.name = keys.name.isEmpty ? nil : keys.name
        pipeline.event = problems.section(keys.event)
        pipeline.spool = problems.section(keys.spool)
        pipeline.retry = problems.section(keys.retry)
        (pipeline.copies, pipeline.copiesMark) = (keys.copies, root["copies"]?.mark ?? root.mark)
        pipeline.modules = programs(keys.modules, root["modules"])
        pipeline.sources = moduleList(keys.sources, .source)
        pipeline.stages = moduleList(keys.stages, .stage)
        pipeline.targets = moduleMap(keys.targets, .target)
        pipeline.auth = moduleMap(keys.auth, .auth)
        pipeline.hooks = hooks(keys.hooks)
        pipeline.catalog = catalog(keys.catalog)
        pipeline.profiles = profiles.read(keys.profiles, include: keys.include, of: file)
        var check = PipelineCheck(pipeline, of: root, registry: registry, broken: broken, problems: problems)
        check.run()
        return pipeline
    }

    /// Another program's file: its lines are not told one by one, they may be nobody's business.
    private func isStranger(_ root: ConfigNode) -> Bool {
        if case .scalar = root.value { return true }
        guard case .map(let pairs) = root.value, pairs.count > 1 else { return false }
        let names = PipelineKeys.schema.descriptions.map(\.name)
        return !pairs.contains { nearest($0.key.name, among: names) != nil || names.contains($0.key.name) }
    }
}
