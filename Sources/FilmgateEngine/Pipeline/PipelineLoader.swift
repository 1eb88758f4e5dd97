public import FilmgateCore
import Glibc

/// Reads, decodes and checks pipeline files.
public struct PipelineLoader: Sendable {
    let registry: ModuleRegistry
    let reader: any ConfigReader
    let includeDirectories: [String]
    let overrides: [Override]
    let zones: ZoneDatabase
    /// A file of profiles that is read after all others, if it is there: measured clocks.
    public var lastProfiles: String?

    /// `includeDirectories`: where shipped profiles lie, searched in order.
    ///
    /// `overrides`: what `--set` says.
    public init(
        registry: ModuleRegistry, reader: any ConfigReader, includeDirectories: [String] = [],
        overrides: [Override] = [],
        zones: ZoneDatabase = ZoneDatabase()
    ) {
        (self.registry, self.reader, self.includeDirectories) = (registry, reader, includeDirectories)
        (self.overrides, self.zones) = (overrides, zones)
    }

    /// The names of the shipped profiles that can be included.
    public var shippedProfiles: [String] { IncludeSearch(reader: reader, directories: includeDirectories).names }

    /// Blocks for the disk; reads no secrets, no network.
    public func load(path: String) -> LoadedPipeline {
        do throws(ConfigError) { return load(text: try reader.text(path: path), file: path) } catch {
            return LoadedPipeline(pipeline: nil, diagnostics: [Diagnostic(.error, error)], texts: [:])
        }
    }

    /// `file` names the text in diagnostics and is where `./` in `include:` starts.
    public func load(text: String, file: String) -> LoadedPipeline {
        do throws(ConfigError) {
            return load(node: try reader.read(text: text, file: file), file: file, text: text)
        } catch {
            return LoadedPipeline(
                pipeline: nil, diagnostics: [Diagnostic(.error, error)], texts: [file: Redaction.hidden(text, at: [])])
        }
    }

    /// For trees that the program makes itself.
    public func load(node: ConfigNode, file: String = "", text: String? = nil) -> LoadedPipeline {
        let includes = IncludeSearch(reader: reader, directories: includeDirectories)
        let problems = DiagnosticCollector()
        var decoder = PipelineDecoder(registry: registry, includes: includes, zones: zones, problems: problems)
        var root = node
        for override in overrides {
            do throws(ConfigError) { try override.apply(to: &root, reader: reader) } catch { problems.report(error) }
        }
        if let lastProfiles, access(lastProfiles, R_OK) == 0 { decoder.profiles.lastProfiles = lastProfiles }
        let pipeline = decoder.decode(root, file: file)
        var texts = decoder.profiles.texts
        if let text { texts[file] = text }
        let found = problems.all.enumerated().sorted { a, b in
            let (first, second) = (a.element.error.mark, b.element.error.mark)
            let (own, other) = (first.file == file ? 0 : 1, second.file == file ? 0 : 1)
            return (own, first.file, first.line, first.column, a.offset) < (
                other, second.file, second.line, second.column, b.offset
            )
        }
        let placed = Self.withinLines(found.map(\.element), texts)
        return LoadedPipeline(
            pipeline: problems.hasErrors ? nil : pipeline, diagnostics: placed, texts: Self.shown(texts, of: problems))
    }

    /// A place inside a quoted text that goes on in the next line is counted from where the text began: it stays in its
    /// line.
    private static func withinLines(_ diagnostics: [Diagnostic], _ texts: [String: String]) -> [Diagnostic] {
        var lengths: [String: [Int]] = [:]
        return diagnostics.map { diagnostic in
            let mark = diagnostic.error.mark
            guard mark.line > 0, let text = texts[mark.file] else { return diagnostic }
            let known = lengths[mark.file] ?? SourceLines.split(text).map(\.count)
            lengths[mark.file] = known
            guard mark.line <= known.count, mark.column > known[mark.line - 1] + 1 else { return diagnostic }
            var diagnostic = diagnostic
            diagnostic.error.mark.column = known[mark.line - 1] + 1
            return diagnostic
        }
    }

    /// What diagnostics may show of the files that they are about.
    private static func shown(_ texts: [String: String], of problems: DiagnosticCollector) -> [String: String] {
        let files = Set(problems.all.map(\.error.mark.file))
        var shown: [String: String] = [:]
        for (name, text) in texts where files.contains(name) {
            shown[name] = Redaction.hidden(text, at: problems.hidden.filter { $0.file == name })
        }
        return shown
    }
}

/// What became of a pipeline file.
public struct LoadedPipeline: Sendable {
    /// Nil when there is an error among the diagnostics.
    public var pipeline: PipelineFile?
    /// By place, the pipeline's own file first.
    public var diagnostics: [Diagnostic]
    /// The text of each file that a diagnostic is about, by the name that marks give it; secrets are dotted out.
    public var texts: [String: String]
}
