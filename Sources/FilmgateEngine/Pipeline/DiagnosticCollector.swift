import FilmgateCore

/// The mistakes of a pipeline file and of the files that it includes, in the order in which they were found.
///
/// Shared by all who read the file; used by one task.
final class DiagnosticCollector {
    /// Nobody reads more, and a hostile file must not buy an hour of looking for the nearest names.
    static let limit = 200

    /// At most `limit` of each severity; `hasErrors` knows of the others too.
    private(set) var all: [Diagnostic] = []
    private(set) var hasErrors = false
    /// Values that may be secrets: never shown.
    private(set) var hidden: [Mark] = []
    private var errorCount = 0
    private var warningCount = 0

    func error(_ mark: Mark, _ code: String, _ message: String, hint: String? = nil) {
        report(ConfigError(mark, code, message, hint: hint))
    }

    func warn(_ mark: Mark, _ code: String, _ message: String, hint: String? = nil) {
        warningCount += 1
        if warningCount <= Self.limit { all.append(.warning(mark, code, message, hint: hint)) }
    }

    /// Further errors would not be shown.
    var isFull: Bool { errorCount >= Self.limit }

    /// Gives the errors since `start` another hint where `hint` has one.
    func explain(since start: Int, _ hint: (ConfigError) -> String?) {
        for index in start..<all.count {
            all[index].error.hint = hint(all[index].error) ?? all[index].error.hint
        }
    }

    /// Remembers every plain value below `node` as one that must not be shown.
    func hide(_ node: ConfigNode) {
        switch node.value {
        case .null: break
        case .scalar: if (try? Secret(node: node)) == nil { hidden.append(node.mark) }
        case .list(let items): for item in items { hide(item) }
        case .map(let pairs): for pair in pairs { hide(pair.value) }
        }
    }

    func report(_ error: ConfigError) {
        hasErrors = true
        errorCount += 1
        if errorCount <= Self.limit { all.append(Diagnostic(.error, error)) }
    }

    /// Decodes a map of plain options.
    func section<Section: ModuleConfig>(_ node: ConfigNode) -> Section {
        var errors: [ConfigError] = []
        let section = Section.schema.decode(node, errors: &errors)
        for var error in errors {
            if error.code == "missing-key", error.message.hasPrefix("`version`") {
                error.hint = "Begin the file with `version: 1`."
            }
            report(error)
        }
        return section
    }

    /// The entries of a list of `things`; none where it is empty, or something else, of which it tells.
    func items(_ node: ConfigNode, of things: String, hint: String) -> [ConfigNode] {
        switch node.value {
        case .null: return []
        case .list(let items): return items
        default:
            error(
                node.mark, "wrong-type", "Expected a list of \(things), found \(node.kindName).", hint: hint)
            return []
        }
    }

    /// An absent or mistyped version has been reported already and reads as 0.
    func checkVersion(_ version: Int, _ root: ConfigNode) {
        guard let node = root["version"], version != PipelineDecoder.version, (try? Int(node: node)) != nil else {
            return
        }
        error(
            node.mark, "unsupported-version", "Version \(version) of the file's format is not known.",
            hint: "This program reads version 1."
        )
    }
}
