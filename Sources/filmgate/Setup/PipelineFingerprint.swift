import FileKit
import FilmgateCore
import FilmgateEngine

/// Whether a pipeline that was read again means the same as before: its words without their places, and the files that
/// they name (a certificate, a secret, a list of hosts, a module's program), which are read once by those who use them.
///
/// Links count as what they lead to.
struct PipelineFingerprint: Equatable {
    private let words: String, files: [String: String]

    /// `paths`: where relative ones of the pipeline start.
    init(_ pipeline: PipelineFile, from paths: UserPath) {
        words = Self.text(pipeline)
        var named: Set<String> = []
        let uses = pipeline.sources + pipeline.stages + pipeline.targets + pipeline.auth + pipeline.hooks.map(\.use)
        for use in uses { Self.collect(use.node, from: paths, into: &named) }
        for program in pipeline.modules { named.insert(paths.absolute(program)) }
        files = named.reduce(into: [:]) { found, path in found[path] = Self.facts(path) }
    }

    /// A value with all that it holds, but for places in files; what is in no order is put into one.
    private static func text(_ value: Any) -> String {
        if value is Mark || value is ConfigNode.Key { return (value as? ConfigNode.Key)?.name ?? "" }
        let mirror = Mirror(reflecting: value)
        guard !mirror.children.isEmpty else { return "\(value)" }
        let parts = mirror.children.map { "\($0.label ?? "")=\(text($0.value))" }
        let isUnordered = mirror.displayStyle == .set || mirror.displayStyle == .dictionary
        return "\(mirror.subjectType)(\((isUnordered ? parts.sorted() : parts).joined(separator: ",")))"
    }

    private static func collect(_ node: ConfigNode, from paths: UserPath, into found: inout Set<String>) {
        switch node.value {
        case .null: break
        case .scalar(let text, _):
            let path = text.hasPrefix("${file:") ? String(text.dropFirst(7).dropLast()) : text
            // Any text may be a path from the working directory; what is no file has no facts.
            if !path.isEmpty, path.utf8.count <= 4096 { found.insert(paths.absolute(path)) }
        case .list(let items): for item in items { collect(item, from: paths, into: &found) }
        case .map(let pairs): for pair in pairs { collect(pair.value, from: paths, into: &found) }
        }
    }

    /// Nil for folders: what comes and goes there changes no pipeline.
    private static func facts(_ path: String) -> String? {
        let file = FileSystem.canonical(path)
        guard let facts = try? FileFacts.of(file), facts.kind == .regular else { return nil }
        return "\(file) \(facts.inode) \(facts.size) \(facts.modified) \(facts.changed)"
    }
}
