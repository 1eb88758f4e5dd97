import FilmgateCore

extension PipelineDecoder {
    /// `modules:`, programs that are modules.
    func programs(_ paths: [String], _ node: ConfigNode?) -> [String] {
        guard case .list(let items)? = node?.value, items.count == paths.count else { return [] }
        for (path, item) in zip(paths, items) {
            do throws(IngestError) { try registry.outside?.add(program: path) } catch {
                problems.error(item.mark, "bad-module", error.message, hint: error.advice)
            }
        }
        return paths
    }

    /// `sources:` and `stages:`, lists of single-key maps.
    mutating func moduleList(_ node: ConfigNode, _ kind: ModuleKind) -> [ModuleUse] {
        switch node.value {
        case .null: return []
        case .list(let items): return items.compactMap { moduleUse($0, kind, name: nil) }
        case .map(let pairs):
            let first = pairs.first?.key.name ?? kind.rawValue
            broken.insert(kind)
            problems.error(
                node.mark, "wrong-type", "Expected a list of \(kind.rawValue)s, found a map.",
                hint: "Begin each \(kind.rawValue) with a dash: `- \(first): {}`.")
            return pairs.compactMap { moduleUse(ConfigNode(.map([$0]), $0.key.mark), kind, name: nil) }
        default:
            broken.insert(kind)
            problems.report(
                node.wrongType("a list of \(kind.rawValue)s such as `- \(registry.names(kind).first ?? "name"): {}`"))
            return []
        }
    }

    /// `targets:` and `auth:`, maps of name to single-key map.
    mutating func moduleMap(_ node: ConfigNode, _ kind: ModuleKind) -> [ModuleUse] {
        switch node.value {
        case .null: return []
        case .map(let pairs):
            return pairs.compactMap { pair in
                checkName(pair.key)
                return moduleUse(pair.value, kind, name: pair.key)
            }
        default:
            broken.insert(kind)
            let example = "\(kind == .auth ? "studio" : "archive"): { \(registry.names(kind).first ?? "module"): {} }"
            let plural = kind == .auth ? "sign-ins" : "targets"
            problems.error(
                node.mark, "wrong-type", "Expected \(plural) by name, found \(node.kindName).",
                hint: "Write `\(example)`.")
            return []
        }
    }

    private func checkName(_ key: ConfigNode.Key) {
        let allowed = key.name.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "-" || $0 == "_"
        }
        if !allowed || key.name.utf8.count > 64 {
            problems.error(
                key.mark, "bad-name", "`\(key.name)` cannot be a name.",
                hint: "Use letters, digits, `-` and `_`, at most 64.")
        }
    }

    /// A use is returned whenever it names something, so that one mistake in it does not make others of all that refer
    /// to it.
    private func moduleUse(_ node: ConfigNode, _ kind: ModuleKind, name: ConfigNode.Key?) -> ModuleUse? {
        guard case .map(let pairs) = node.value, let first = pairs.first else {
            reportNoModule(node, kind, name)
            let word = (try? node.text()).flatMap { registry.entry(kind, $0)?.manifest.name }
            guard let entryName = name?.name ?? word else { return nil }
            return ModuleUse(
                name: entryName, module: word ?? "", node: ConfigNode(.null, node.mark), mark: name?.mark ?? node.mark)
        }
        if pairs.count > 1 {
            reportSeveral(first.key, pairs[1].key, kind)
        } else if let entry = entry(kind, first.key) {
            lint(first, entry)
        }
        return ModuleUse(
            name: name?.name ?? first.key.name, module: first.key.name, node: first.value,
            mark: name?.mark ?? first.key.mark)
    }

    func lint(_ pair: ConfigNode.Pair, _ entry: ModuleEntry) {
        hideSecrets(in: pair.value, entry)
        for var mistake in entry.lint(pair.value) {
            // What is missing has no place of its own; the module's name is nearer to it than its first option.
            if mistake.code == "missing-key", mistake.mark == pair.value.mark { mistake.mark = pair.key.mark }
            if mistake.code == "wrong-type", mistake.mark == pair.value.mark {
                mistake.hint = mistake.hint ?? Self.example(pair, entry)
            }
            problems.report(mistake)
        }
    }

    /// A value where options belong is most often that of the one place which the module needs to know.
    ///
    /// Only what is plainly a path is shown again: another word may be a secret.
    private static func example(_ pair: ConfigNode.Pair, _ entry: ModuleEntry) -> String? {
        guard case .scalar(let text, _) = pair.value.value, ["/", "~/", "./", "../"].contains(where: text.hasPrefix)
        else { return nil }
        guard let field = entry.fields.first(where: { $0.name.hasPrefix("path") && $0.kind != .secret }),
            text.utf8.count <= 200
        else {
            return nil
        }
        let isList = if case .list = field.kind { true } else { false }
        return "Write `\(pair.key.name): { \(field.name): \(isList ? "[\(text)]" : text) }`."
    }

    /// What a module expects as a secret, and for sign-ins also what it does not expect at all.
    private func hideSecrets(in node: ConfigNode, _ entry: ModuleEntry) {
        guard case .map(let pairs) = node.value else { return entry.kind == .auth ? problems.hide(node) : () }
        let fields = entry.fields
        for pair in pairs {
            let field = fields.first { $0.name == pair.key.name }
            if field?.kind == .secret || field == nil && entry.kind == .auth { problems.hide(pair.value) }
        }
    }

    private func reportNoModule(_ node: ConfigNode, _ kind: ModuleKind, _ name: ConfigNode.Key?) {
        switch node.value {
        case .scalar where kind == .auth:
            problems.hide(node)
            problems.error(
                node.mark, "wrong-type", "Expected a module with its options, found \(node.kindName).",
                hint: knownModules(kind))
        case .scalar(let text, _):
            let example = name.map { "\($0.name): { \(text): {} }" } ?? "- \(text): {}"
            problems.error(
                node.mark, "wrong-type", "Expected a module with its options, found the word `\(text)`.",
                hint: registry.entry(kind, text) != nil ? "Write `\(example)`." : knownModules(kind))
        case .null, .map:
            problems.error(
                name?.mark ?? node.mark, "no-module", "No \(kind.rawValue) module is named here.",
                hint: knownModules(kind))
        case .list: problems.report(node.wrongType("a module with its options"))
        }
    }

    /// More than one key where the one names the module: most often options that are not indented.
    private func reportSeveral(_ first: ConfigNode.Key, _ second: ConfigNode.Key, _ kind: ModuleKind) {
        if let entry = registry.entry(kind, first.name), entry.fields.contains(where: { $0.name == second.name }) {
            problems.error(
                second.mark, "not-single-key", "`\(second.name)` stands beside `\(first.name)`, not below it.",
                hint: "Indent the options of `\(first.name)` by two more spaces.")
        } else if registry.entry(kind, second.name) != nil {
            problems.error(
                second.mark, "not-single-key", "One entry names one module; `\(second.name)` is a second one.",
                hint: kind == .source || kind == .stage
                    ? "Begin it with a dash of its own: `- \(second.name): {}`." : nil)
        } else {
            problems.error(
                second.mark, "not-single-key", "One entry names one module; `\(second.name)` does not belong here.",
                hint: "Options stand below the module's name: `\(first.name): { … }`.")
        }
    }

    func entry(_ kind: ModuleKind, _ key: ConfigNode.Key) -> ModuleEntry? {
        if let entry = registry.entry(kind, key.name) { return entry }
        let stranger = registry.stranger(key.name)
        let elsewhere = registry.entries.first { $0.manifest.name == key.name }
        if case .failure(let failure)? = stranger {
            problems.error(key.mark, "broken-module", failure.message, hint: failure.advice)
        } else if let other = elsewhere ?? (try? stranger?.get()) {
            problems.error(
                key.mark, "wrong-module-kind", "`\(key.name)` is \(other.kind.withArticle), not \(kind.withArticle).",
                hint: "It belongs under `\(other.kind.section):`.")
        } else {
            let hint =
                nearest(key.name, among: registry.names(kind)).map { "Did you mean `\($0)`?" } ?? knownModules(kind)
            problems.error(
                key.mark, "unknown-module", "There is no \(kind.rawValue) module called `\(key.name)`.", hint: hint)
        }
        return nil
    }

    func knownModules(_ kind: ModuleKind) -> String {
        "Known: \(registry.names(kind).joined(separator: ", "))."
    }
}

extension ModuleKind {
    /// The key of the pipeline file under which modules of this kind stand.
    var section: String {
        switch self {
        case .source: "sources"
        case .stage: "stages"
        case .target: "targets"
        case .auth: "auth"
        case .catalog: "catalog"
        }
    }

    var withArticle: String {
        switch self {
        case .source, .stage, .target, .catalog: "a \(rawValue)"
        case .auth: "a way to sign in"
        }
    }
}
