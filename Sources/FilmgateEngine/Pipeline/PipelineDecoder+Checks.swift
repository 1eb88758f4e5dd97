import FilmgateCore

extension PipelineDecoder {
    /// The rules that span several sections: order, references, what is missing and what is never used.
    mutating func check(_ pipeline: PipelineFile, _ root: ConfigNode) {
        targetNames = Set(pipeline.targets.map(\.name))
        checkOrder(pipeline.stages)
        checkUpload(pipeline, root)
        checkDeliveries(pipeline)
        checkRules(pipeline)
        checkSignIns(pipeline)
        checkStageTargets(pipeline)
        checkTimes(pipeline)
        if pipeline.sources.isEmpty, !broken.contains(.source) {
            let mark = place(of: "sources", in: root)
            warn(mark, "no-sources", "There are no sources: only `import` and `watch`, which bring their own, can use this pipeline.")
        }
    }

    /// The key `name` where it is given, else the beginning of the file.
    private func place(of name: String, in root: ConfigNode) -> Mark {
        if case .map(let pairs) = root.value, let pair = pairs.first(where: { $0.key.name == name }) { return pair.key.mark }
        return root.mark
    }

    private mutating func checkOrder(_ stages: [ModuleUse]) {
        var have: Set<Fact> = [.file, .digest], seen: [String: Mark] = [:], uploaded = false
        for (index, stage) in stages.enumerated() {
            guard let manifest = registry.entry(.stage, stage.module)?.manifest else { continue }
            if let earlier = seen[stage.module] {
                error(
                    stage.mark, "duplicate-stage", "The stage `\(stage.module)` stands here a second time.",
                    hint: "First in line \(earlier.line).")
                continue
            }
            seen[stage.module] = stage.mark
            for fact in isFull ? [] : manifest.needs.subtracting(have).sorted(by: { $0.rawValue < $1.rawValue }) {
                reportMissing(fact, for: stage, later: stages[(index + 1)...])
            }
            if uploaded, !manifest.needs.contains(.receipt) {
                let chooses = manifest.gives.contains(.selected)
                let rest = chooses ? ": there it decides for all targets. What one target alone is to get, its `deliver` rule says." : "."
                error(
                    stage.mark, "wrong-order", "`\(stage.module)` stands after `upload`, when every asset has been delivered already.",
                    hint: "Put it before `upload`\(rest)")
            }
            have.formUnion(manifest.gives)
            uploaded = uploaded || stage.module == Self.uploadStage
        }
    }

    private mutating func reportMissing(_ fact: Fact, for stage: ModuleUse, later: ArraySlice<ModuleUse>) {
        let givers = registry.entries.filter { $0.kind == .stage && $0.manifest.gives.contains(fact) }.map(\.manifest.name)
        if let giver = later.first(where: { givers.contains($0.module) }) {
            error(
                stage.mark, "wrong-order", "`\(stage.module)` needs `\(fact.rawValue)`, which `\(giver.module)` gives only later.",
                hint: "Put `\(giver.module)` (line \(giver.mark.line)) before `\(stage.module)`.")
        } else {
            let hint = givers.first.map { "Put `- \($0): {}` before it." }
            error(stage.mark, "missing-stage", "`\(stage.module)` needs `\(fact.rawValue)`, which no stage before it gives.", hint: hint)
        }
    }

    private mutating func checkUpload(_ pipeline: PipelineFile, _ root: ConfigNode) {
        guard let upload = pipeline.stages.first(where: { $0.module == Self.uploadStage }) else {
            let allKnown = !broken.contains(.stage) && pipeline.stages.allSatisfy { registry.entry(.stage, $0.module) != nil }
            if allKnown, root["stages"] != nil {
                error(
                    place(of: "stages", in: root), "missing-stage", "There is no `upload` stage, so nothing would be delivered.",
                    hint: "End the stages with `- upload: { to: [name of a target] }`.")
            }
            return
        }
        guard case .list(let items)? = upload.node["to"]?.value else { return reportNoTo(upload) }
        let lint = registry.entry(.stage, upload.module)?.lint(upload.node) ?? []
        if items.isEmpty, let node = upload.node["to"], !lint.contains(where: { $0.code == "empty-list" }) {
            error(node.mark, "empty-list", "`to` names no target, so nothing would be delivered.")
        }
        var seen: Set<String> = []
        for item in items {
            guard let name = try? item.text() else { continue }
            if !seen.insert(name).inserted { error(item.mark, "duplicate-target", "`\(name)` is named twice.") }
            checkTarget(name, item.mark, pipeline)
        }
    }

    /// Its own lint tells of a missing or mistyped `to` where the module demands it; this is for when it does not.
    private mutating func reportNoTo(_ upload: ModuleUse) {
        if let node = upload.node["to"] {
            if (try? [String](node: node)) == nil, registry.entry(.stage, upload.module)?.lint(upload.node).isEmpty == true {
                report(node.wrongType("a list of target names such as [archive]"))
            }
        } else if registry.entry(.stage, upload.module)?.lint(upload.node).contains(where: { $0.code == "missing-key" }) == false {
            error(upload.mark, "missing-key", "`upload` does not say where to.", hint: "Write `- upload: { to: [name of a target] }`.")
        }
    }

    /// Options of stages that name targets.
    private mutating func checkStageTargets(_ pipeline: PipelineFile) {
        for stage in pipeline.stages where stage.module != Self.uploadStage {
            for field in registry.entry(.stage, stage.module)?.fields ?? [] where field.kind == .list(.reference("targets")) {
                guard case .list(let items)? = stage.node[field.name]?.value else { continue }
                for item in items { if let name = try? item.text() { checkTarget(name, item.mark, pipeline) } }
            }
        }
    }

    /// Names by capture time, and nobody who reads it: every file would be named by the time that its card or copy gave it.
    private mutating func checkTimes(_ pipeline: PipelineFile) {
        let reads = pipeline.stages.contains { registry.entry(.stage, $0.module)?.manifest.gives.contains(.media) == true }
        guard !reads, !pipeline.stages.isEmpty, !broken.contains(.stage), !hasErrors else { return }
        for target in pipeline.targets {
            guard let mark = Self.timeTemplate(in: target.node) else { continue }
            let hint = registry.entries.first { $0.kind == .stage && $0.manifest.gives.contains(.media) }.map(\.manifest.name)
            warn(
                mark, "no-capture-time", "`{captured…}` has no capture time: no stage reads it, so the files' own times are used.",
                hint: hint.map { "Begin the stages with `- \($0): {}`." })
        }
    }

    private static func timeTemplate(in node: ConfigNode) -> Mark? {
        switch node.value {
        case .scalar(let text, _): text.contains("{captured") ? node.mark : nil
        case .list(let items): items.lazy.compactMap(timeTemplate).first
        case .map(let pairs): pairs.lazy.compactMap { timeTemplate(in: $0.value) }.first
        case .null: nil
        }
    }

    private mutating func checkTarget(_ name: String, _ mark: Mark, _ pipeline: PipelineFile) {
        if targetNames.contains(name) || broken.contains(.target) || isFull { return }
        let names = pipeline.targets.map(\.name), near = nearest(name, among: names)
        meant.formUnion([near].compactMap { $0 })
        let hint =
            near.map { "Did you mean `\($0)`?" }
            ?? (names.isEmpty ? "Give it under `targets:`." : "Known: \(names.joined(separator: ", ")).")
        error(mark, "unknown-target", "There is no target called `\(name)`.", hint: hint)
    }

    private mutating func checkDeliveries(_ pipeline: PipelineFile) {
        let to = Set(pipeline.deliverTo)
        for profile in pipeline.profiles.profiles {
            for delivery in profile.delivering {
                if !targetNames.contains(delivery.target) {
                    checkTarget(delivery.target, delivery.mark, pipeline)
                } else if !to.contains(delivery.target), !to.isEmpty {
                    error(
                        delivery.mark, "target-not-in-upload",
                        "`\(delivery.target)` is not in `upload.to`, so nothing would be delivered there.",
                        hint: "Add it to `to` of the `upload` stage.")
                }
            }
        }
        for target in pipeline.targets where !to.contains(target.name) && !to.isEmpty && !meant.contains(target.name) {
            warn(target.mark, "unused-target", "Nothing is delivered to `\(target.name)`: it is not in `upload.to`.")
        }
    }

    /// A rule that asks what files say needs somebody who reads it: else every frame would count as not rated.
    private mutating func checkRules(_ pipeline: PipelineFile) {
        let reads = pipeline.stages.contains { registry.entry(.stage, $0.module)?.manifest.gives.contains(.media) != false }
        guard !reads, let upload = pipeline.stages.first(where: { $0.module == Self.uploadStage }) else { return }
        var rules: [(mark: Mark, rule: DeliveryRule)] = []
        if let node = upload.node["deliver"], case .map(let pairs) = node.value {
            rules = pairs.compactMap { pair in (try? DeliveryRule(node: pair.value)).map { (pair.key.mark, $0) } }
        }
        for profile in pipeline.profiles.profiles {
            rules += profile.delivering.compactMap { place in profile.deliver?[place.target].map { (place.mark, $0) } }
        }
        for (mark, rule) in rules where !rule.asks.subtracting([.protection]).isEmpty {
            error(
                mark, "missing-stage", "This rule asks what files say about themselves, and no stage reads that.",
                hint: "Put `- exif: {}` first among the stages.")
        }
    }

    /// A sign-in is never sent over the network in the clear: better said before the first frame than at it.
    private mutating func checkEncryption(_ target: ModuleUse, _ auth: ModuleUse?) {
        guard let auth, auth.module != "none", (try? auth.node["plain_http"]?.text()) != "true",
            case .map(let options)? = target.node.value as ConfigNode.Value?
        else { return }
        for option in options {
            guard case .scalar(let text, _) = option.value.value, text.lowercased().hasPrefix("http://") else { continue }
            let host = text.dropFirst(7).prefix { $0 != "/" && $0 != "?" && $0 != "{" }
            if ["localhost", "127.", "[::1]"].contains(where: host.lowercased().hasPrefix) { continue }
            warn(
                option.value.mark, "plain-http", "`\(auth.name)` is not sent to http://\(host): a sign-in goes over https only.",
                hint: "Write https://, or in a network that you trust `plain_http: true` at the sign-in.")
        }
    }

    private mutating func checkSignIns(_ pipeline: PipelineFile) {
        let names = pipeline.auth.map(\.name), known = Set(names)
        var used: Set<String> = []
        let users =
            pipeline.sources.map { ($0, ModuleKind.source) } + pipeline.stages.map { ($0, .stage) } + pipeline.targets.map { ($0, .target) }
        for (use, kind) in users + pipeline.auth.map({ ($0, .auth) }) {
            for reference in registry.entry(kind, use.module)?.references(use.node) ?? [] {
                used.insert(reference.name)
                if kind == .target { checkEncryption(use, pipeline.auth.first { $0.name == reference.name }) }
                if known.contains(reference.name) || broken.contains(.auth) || isFull { continue }
                let near = nearest(reference.name, among: names)
                used.formUnion([near].compactMap { $0 })
                let hint =
                    near.map { "Did you mean `\($0)`?" }
                    ?? (names.isEmpty ? "Give it under `auth:`." : "Known: \(names.joined(separator: ", ")).")
                error(reference.mark, "unknown-auth", "There is no sign-in called `\(reference.name)`.", hint: hint)
            }
        }
        for entry in pipeline.auth where !used.contains(entry.name) && !broken.contains(.target) {
            warn(entry.mark, "unused-auth", "Nothing uses the sign-in `\(entry.name)`.")
        }
    }
}
