import FileKit
import FilmgateCore
import FilmgateEngine

/// Remembers where runs delivered to, so that `retry` can go on without being told the pipeline again; and which
/// catalogue this state directory joined; and how many copies `safe-to-format` is to want.
///
/// A file per set of targets in the state directory: their options and sign-in as the pipeline wrote them, secrets as
/// references only.
struct PipelineSnapshot {
    let directory: String

    init(state: String) { directory = state + "/pipelines" }

    /// Keeps the targets and sign-in of a run.
    ///
    /// Equal ones share a file. Blocks briefly. `paths`: where the pipeline's own path starts.
    func keep(_ pipeline: PipelineFile, from paths: UserPath) throws(IngestError) {
        let text = Self.text(pipeline)
        try keepCopies(of: pipeline, from: paths)
        let path = "\(directory)/\(Self.name(text)).yaml"
        if try FileFacts.of(path) != nil { return }
        try write(text, to: path)
    }

    /// By the pipeline's own file: only the same one can want fewer later.
    private func keepCopies(of pipeline: PipelineFile, from paths: UserPath) throws(IngestError) {
        let path = "\(directory)/\(Self.name(paths.absolute(pipeline.file)))\(Self.copies)"
        if pipeline.copies == 1, try FileFacts.of(path) == nil { return }
        try write("\(pipeline.copies)\n", to: path)
    }
    private static let copies = ".copies"

    private func write(_ text: String, to path: String) throws(IngestError) {
        let bytes = Array(text.utf8)
        if try FileSystem.contents(of: path) == bytes { return }
        try DurableFile.makeDirectories(directory, mode: 0o700)
        try DurableFile.atomicWrite(bytes.span.bytes, to: path, mode: 0o600)
    }

    /// The most copies that any pipeline of a run wants of a file; 1 where none says more.
    ///
    /// Which of them took a card is not known: the strictest holds.
    func mostCopies() throws(IngestError) -> Int {
        guard try FileFacts.of(directory) != nil else { return 1 }
        var most = 1
        for name in try FileSystem.names(in: directory) where name.hasSuffix(Self.copies) {
            let bytes = try FileSystem.contents(of: "\(directory)/\(name)", limit: 64) ?? []
            most = max(most, Int(String(decoding: bytes.dropLast(), as: UTF8.self)) ?? 1)
        }
        return most
    }

    /// The files kept so far.
    func files() -> [String] {
        guard let names = try? FileSystem.names(in: directory) else { return [] }
        return names.filter { $0.hasSuffix(".yaml") }.sorted().map { "\(directory)/\($0)" }
    }

    static func text(_ pipeline: PipelineFile) -> String {
        var lines = [
            "version: 1", "stages:",
            "- upload: { to: [\(pipeline.targets.map { JSONString.quoted($0.name) }.joined(separator: ", "))] }",
        ]
        if !pipeline.modules.isEmpty {
            lines.append("modules: [\(pipeline.modules.map(JSONString.quoted).joined(separator: ", "))]")
        }
        if !pipeline.targets.isEmpty { lines.append("targets:") }
        lines += pipeline.targets.map(entry)
        if !pipeline.auth.isEmpty { lines.append("auth:") }
        lines += pipeline.auth.map(entry)
        if !pipeline.hooks.isEmpty { lines.append("hooks:") }
        lines += pipeline.hooks.map { "- \($0.use.module): \(flow($0.use.node))" }
        if let catalog = pipeline.catalog { lines.append(entry(catalog)) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func entry(_ catalog: CatalogUse) -> String {
        let rule = catalog.station, names = rule.share.map { JSONString.quoted($0.name) }
        let words = [("station", rule.station), ("site", rule.site)].filter { !$0.1.isEmpty }
        var said = words.map { "\($0.0): \(JSONString.quoted($0.1))" }
        // Without these a retry would send what another station has claimed.
        if !names.isEmpty { said.append("share: [\(names.joined(separator: ", "))]") }
        if rule.whenAway != .deliver { said.append("when_away: \(rule.whenAway.rawValue)") }
        if rule.oneMachine { said.append("one_machine: true") }
        return "catalog: { \((["\(catalog.use.module): \(flow(catalog.use.node))"] + said).joined(separator: ", ")) }"
    }

    private static func entry(_ use: ModuleUse) -> String {
        "  \(JSONString.quoted(use.name)): { \(use.module): \(flow(use.node)) }"
    }

    /// A node in YAML's flow style; text that was not quoted stays unquoted where it must be read as a number or a
    /// truth value.
    private static func flow(_ node: ConfigNode) -> String {
        switch node.value {
        case .null: "{}"
        case .scalar(let text, let quoted):
            !quoted && (Double(text) != nil || text == "true" || text == "false") ? text : JSONString.quoted(text)
        case .list(let items): "[" + items.map(flow).joined(separator: ", ") + "]"
        case .map(let pairs):
            "{ " + pairs.map { "\(JSONString.quoted($0.key.name)): \(flow($0.value))" }.joined(separator: ", ") + " }"
        }
    }

    private static func name(_ text: String) -> String { String(FNV1a.hash(text.utf8), radix: 16) }
}
