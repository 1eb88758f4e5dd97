import FilmgateCore

extension PipelineDecoder {
    /// `hooks:`, a list of single-key maps.
    func hooks(_ node: ConfigNode) -> [HookUse] {
        problems.items(node, of: "hooks", hint: "Write `- webhook: { url: … }`.").compactMap { hook($0) }
    }

    private func hook(_ item: ConfigNode) -> HookUse? {
        guard case .map(let pairs) = item.value, let pair = pairs.first, pairs.count == 1 else {
            problems.error(
                item.mark, "not-single-key", "One entry names one hook, with its options below it.",
                hint: Self.knownHooks)
            return nil
        }
        if let secret = pair.value["secret"] { problems.hide(secret) }
        var errors: [ConfigError] = []
        guard let hook = Hook(pair.key.name, pair.value, errors: &errors) else {
            let near = nearest(pair.key.name, among: Hook.kinds.map(\.name)).map { "Did you mean `\($0)`?" }
            problems.error(
                pair.key.mark, "unknown-hook", "There is no hook called `\(pair.key.name)`.",
                hint: near ?? Self.knownHooks)
            return nil
        }
        for var mistake in errors {
            if mistake.code == "missing-key", mistake.mark == pair.value.mark { mistake.mark = pair.key.mark }
            problems.report(mistake)
        }
        return HookUse(
            hook: hook,
            use: ModuleUse(name: pair.key.name, module: pair.key.name, node: pair.value, mark: pair.key.mark))
    }

    private static var knownHooks: String { "Known: \(Hook.kinds.map(\.name).joined(separator: ", "))." }
}
