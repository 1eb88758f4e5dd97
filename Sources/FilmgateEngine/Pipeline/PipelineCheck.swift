import FilmgateCore

/// The rules that span several sections of a pipeline file: order, references, what is missing and what is never used.
struct PipelineCheck {
    private let pipeline: PipelineFile
    private let root: ConfigNode
    private let registry: ModuleRegistry
    /// Sections that could not be read: what refers into them is not judged.
    private let broken: Set<ModuleKind>
    private let problems: DiagnosticCollector
    /// Names under `targets:`.
    private let targetNames: Set<String>
    /// Those that a misspelt name probably meant.
    private var meant: Set<String> = []

    /// `root`: the file that `pipeline` was decoded from, for the places of what is told.
    init(
        _ pipeline: PipelineFile, of root: ConfigNode, registry: ModuleRegistry, broken: Set<ModuleKind>,
        problems: DiagnosticCollector
    ) {
        self.pipeline = pipeline
        self.root = root
        self.registry = registry
        self.broken = broken
        self.problems = problems
        targetNames = Set(pipeline.targets.map(\.name))
    }

    mutating func run() {
        checkOrder()
        checkUpload()
        checkDeliveries()
        checkProfiles()
        checkRules()
        checkSignIns()
        checkTargetOptions()
        checkTimes()
        for target in pipeline.catalog?.station.share ?? [] { checkTarget(target.name, at: target.mark) }
        if pipeline.sources.isEmpty, !broken.contains(.source) {
            problems.warn(
                place(of: "sources"), "no-sources",
                "There are no sources: only `import` and `watch`, which bring their own, can use this pipeline.")
        }
    }

    /// The key `name` where it is given, else the beginning of the file.
    private func place(of name: String) -> Mark {
        if case .map(let pairs) = root.value, let pair = pairs.first(where: { $0.key.name == name }) {
            return pair.key.mark
        }
        return root.mark
    }

    private func checkOrder() {
        let stages = pipeline.stages
        var have: Set<Fact> = [.file, .digest]
        var seen: [String: Mark] = [:]
        var uploaded = false
        for (index, stage) in stages.enumerated() {
            guard let manifest = registry.entry(.stage, stage.module)?.manifest else { continue }
            if let earlier = seen[stage.module] {
                problems.error(
                    stage.mark, "duplicate-stage", "The stage `\(stage.module)` stands here a second time.",
                    hint: "First in line \(earlier.line).")
                continue
            }
            seen[stage.module] = stage.mark
            for fact in problems.isFull
                ? [] : manifest.needs.subtracting(have).sorted(by: { $0.rawValue < $1.rawValue })
            {
                reportMissing(fact, for: stage, later: stages[(index + 1)...])
            }
            if uploaded, !manifest.needs.contains(.receipt) {
                let chooses = manifest.gives.contains(.selected)
                let rest =
                    chooses
                    ? ": there it decides for all targets. What one target alone is to get, its `deliver` rule says."
                    : "."
                problems.error(
                    stage.mark, "wrong-order",
                    "`\(stage.module)` stands after `upload`, when every asset has been delivered already.",
                    hint: "Put it before `upload`\(rest)")
            }
            have.formUnion(manifest.gives)
            uploaded = uploaded || stage.module == PipelineDecoder.uploadStage
        }
    }

    private func reportMissing(_ fact: Fact, for stage: ModuleUse, later: ArraySlice<ModuleUse>) {
        let givers = registry.entries.filter { $0.kind == .stage && $0.manifest.gives.contains(fact) }.map(
            \.manifest.name)
        if let giver = later.first(where: { givers.contains($0.module) }) {
            problems.error(
                stage.mark, "wrong-order",
                "`\(stage.module)` needs `\(fact.rawValue)`, which `\(giver.module)` gives only later.",
                hint: "Put `\(giver.module)` (line \(giver.mark.line)) before `\(stage.module)`.")
        } else {
            let hint = givers.first.map { "Put `- \($0): {}` before it." }
            problems.error(
                stage.mark, "missing-stage",
                "`\(stage.module)` needs `\(fact.rawValue)`, which no stage before it gives.", hint: hint)
        }
    }

    private mutating func checkUpload() {
        guard let upload = pipeline.stages.first(where: { $0.module == PipelineDecoder.uploadStage }) else {
            let allKnown =
                !broken.contains(.stage) && pipeline.stages.allSatisfy { registry.entry(.stage, $0.module) != nil }
            if allKnown, root["stages"] != nil {
                problems.error(
                    place(of: "stages"), "missing-stage", "There is no `upload` stage, so nothing would be delivered.",
                    hint: "End the stages with `- upload: { to: [name of a target] }`.")
            }
            return
        }
        guard case .list(let items)? = upload.node["to"]?.value else { return reportNoTo(upload) }
        let lint = registry.entry(.stage, upload.module)?.lint(upload.node) ?? []
        if items.isEmpty, let node = upload.node["to"], !lint.contains(where: { $0.code == "empty-list" }) {
            problems.error(node.mark, "empty-list", "`to` names no target, so nothing would be delivered.")
        }
        var seen: Set<String> = []
        for item in items {
            guard let name = try? item.text() else { continue }
            if !seen.insert(name).inserted {
                problems.error(item.mark, "duplicate-target", "`\(name)` is named twice.")
            }
            checkTarget(name, at: item.mark)
        }
    }

    /// Its own lint tells of a missing or mistyped `to` where the module demands it; this is for when it does not.
    private func reportNoTo(_ upload: ModuleUse) {
        if let node = upload.node["to"] {
            if (try? [String](node: node)) == nil,
                registry.entry(.stage, upload.module)?.lint(upload.node).isEmpty == true
            {
                problems.report(node.wrongType("a list of target names such as [archive]"))
            }
        } else if registry.entry(.stage, upload.module)?.lint(upload.node).contains(where: { $0.code == "missing-key" })
            == false
        {
            problems.error(
                upload.mark, "missing-key", "`upload` does not say where to.",
                hint: "Write `- upload: { to: [name of a target] }`.")
        }
    }

    /// Options of stages and sources that name targets; what a source waits for has to be delivered.
    private mutating func checkTargetOptions() {
        for stage in pipeline.stages where stage.module != PipelineDecoder.uploadStage {
            let fields = registry.entry(.stage, stage.module)?.fields ?? []
            for target in Self.targets(in: stage.node, .section(fields)) { checkTarget(target.name, at: target.mark) }
        }
        for source in pipeline.sources {
            let fields = registry.entry(.source, source.module)?.fields ?? []
            for target in Self.targets(in: source.node, .section(fields)) {
                checkDelivered(target.name, at: target.mark)
            }
        }
    }

    private static func targets(in node: ConfigNode, _ kind: ValueKind) -> [TargetReference] {
        switch (kind, node.value) {
        case (.reference("targets"), .scalar): [try? TargetReference(node: node)].compactMap { $0 }
        case (.list(let kind), .list(let items)): items.flatMap { targets(in: $0, kind) }
        case (.either(let kinds), _): kinds.lazy.map { targets(in: node, $0) }.first { !$0.isEmpty } ?? []
        case (.section(let fields), _):
            fields.flatMap { field in node[field.name].map { targets(in: $0, field.kind) } ?? [] }
        default: []
        }
    }

    /// Names by capture time, and nobody who reads it: every file would be named by the time that its card or copy gave
    /// it.
    private func checkTimes() {
        let reads = pipeline.stages.contains {
            registry.entry(.stage, $0.module)?.manifest.gives.contains(.media) == true
        }
        guard !reads, !pipeline.stages.isEmpty, !broken.contains(.stage), !problems.hasErrors else { return }
        for target in pipeline.targets {
            guard let mark = Self.timeTemplate(in: target.node) else { continue }
            let hint = registry.entries.first { $0.kind == .stage && $0.manifest.gives.contains(.media) }.map(
                \.manifest.name)
            problems.warn(
                mark, "no-capture-time",
                "`{captured…}` has no capture time: no stage reads it, so the files' own times are used.",
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

    private mutating func checkTarget(_ name: String, at mark: Mark) {
        if targetNames.contains(name) || broken.contains(.target) || problems.isFull { return }
        let names = pipeline.targets.map(\.name), near = nearest(name, among: names)
        meant.formUnion([near].compactMap { $0 })
        let hint =
            near.map { "Did you mean `\($0)`?" }
            ?? (names.isEmpty ? "Give it under `targets:`." : "Known: \(names.joined(separator: ", ")).")
        problems.error(mark, "unknown-target", "There is no target called `\(name)`.", hint: hint)
    }

    private mutating func checkDeliveries() {
        let to = Set(pipeline.deliverTo)
        for profile in pipeline.profiles.profiles {
            for delivery in profile.delivering { checkDelivered(delivery.target, at: delivery.mark) }
        }
        for target in pipeline.targets where !to.contains(target.name) && !to.isEmpty && !meant.contains(target.name) {
            problems.warn(
                target.mark, "unused-target", "Nothing is delivered to `\(target.name)`: it is not in `upload.to`.")
        }
        checkShares()
    }

    /// A profile's `deliver` may leave out a target on purpose, for its cameras; where one is for every camera, and
    /// nobody else has a rule for that target, `upload.to` names it in vain.
    private func checkShares() {
        let profiles = pipeline.profiles.profiles.filter { $0.deliver != nil }
        guard let all = profiles.first(where: { $0.matchRule.rank == .everything }) else { return }
        // A name with a slip in it is told as that.
        if profiles.contains(where: { !targetNames.isSuperset(of: ($0.deliver ?? [:]).keys) }) { return }
        let upload = pipeline.stages.first { $0.module == PipelineDecoder.uploadStage }
        for name in Set(pipeline.deliverTo).intersection(targetNames).sorted()
        where upload?.node["deliver"]?[name] == nil && !profiles.contains(where: { $0.deliver?[name] != nil }) {
            problems.warn(
                all.mark, "target-without-rule",
                "Nothing is delivered to `\(name)`: this profile is for every camera, and neither its `deliver` nor "
                    + "that of `upload` names it.",
                hint: "Say what it gets, as in `deliver: { \(name): [jpeg, raw] }`, or take it out of `upload.to`.")
        }
    }

    /// Of two profiles for the same cameras in one file the earlier decides; what it decides stands in the other in
    /// vain.
    private func checkProfiles() {
        struct Cameras: Hashable { var file: String, match: ProfileMatch }
        var earlier: [Cameras: (first: Mark, keys: Set<String>)] = [:]
        for profile in pipeline.profiles.profiles {
            checkAccept(profile)
            let cameras = Cameras(file: profile.mark.file, match: profile.matchRule), keys = profile.keys
            guard let known = earlier[cameras] else {
                earlier[cameras] = (profile.mark, keys)
                continue
            }
            earlier[cameras]?.keys.formUnion(keys)
            // The rules for `stamp` are merged.
            let vain = keys.intersection(known.keys).subtracting(["stamp"]).sorted().map { "`\($0)`" }
            if vain.isEmpty { continue }
            problems.warn(
                profile.mark, "same-match",
                "The profile in line \(known.first.line) is for the same cameras and decides "
                    + "\(vain.joined(separator: ", ")): here it has no effect.",
                hint: "Make one profile of the two, or tell them apart in `match`.")
        }
    }

    /// Files of no known kind do not say which camera they are from.
    ///
    /// For every camera that may be meant: an import of nothing but such files.
    private func checkAccept(_ profile: Profile) {
        guard let accept = profile.accept, Set(accept) == [.other], profile.matchRule.rank != .everything else {
            return
        }
        problems.warn(
            profile.mark, "accepts-no-pictures",
            "`accept` takes only `other`: no picture, movie or sound of these cameras is ever taken.",
            hint: "It is the whole list, as in `accept: [jpeg, raw, heif, image, video, audio, sidecar, other]`.")
    }

    private mutating func checkDelivered(_ name: String, at mark: Mark) {
        guard targetNames.contains(name) else { return checkTarget(name, at: mark) }
        if pipeline.deliverTo.contains(name) || pipeline.deliverTo.isEmpty { return }
        problems.error(
            mark, "target-not-in-upload",
            "`\(name)` is not in `upload.to`, so nothing would be delivered there.",
            hint: "Add it to `to` of the `upload` stage.")
    }

    /// A rule that asks what files say needs somebody who reads it: else every frame would count as not rated.
    private func checkRules() {
        let reads = pipeline.stages.contains {
            registry.entry(.stage, $0.module)?.manifest.gives.contains(.media) != false
        }
        guard !reads, let upload = pipeline.stages.first(where: { $0.module == PipelineDecoder.uploadStage }) else {
            return
        }
        var rules: [(mark: Mark, rule: DeliveryRule)] = []
        if let node = upload.node["deliver"], case .map(let pairs) = node.value {
            rules = pairs.compactMap { pair in (try? DeliveryRule(node: pair.value)).map { (pair.key.mark, $0) } }
        }
        for profile in pipeline.profiles.profiles {
            rules += profile.delivering.compactMap { place in profile.deliver?[place.target].map { (place.mark, $0) } }
        }
        for (mark, rule) in rules where !rule.asks.subtracting([.protection]).isEmpty {
            problems.error(
                mark, "missing-stage", "This rule asks what files say about themselves, and no stage reads that.",
                hint: "Put `- exif: {}` first among the stages.")
        }
    }

    /// A sign-in is never sent over the network in the clear: better said before the first frame than at it.
    private func checkEncryption(_ target: ModuleUse, _ auth: ModuleUse?) {
        guard let auth, auth.module != "none", (try? auth.node["plain_http"]?.text()) != "true",
            case .map(let options)? = target.node.value as ConfigNode.Value?
        else { return }
        for option in options {
            guard case .scalar(let text, _) = option.value.value, text.lowercased().hasPrefix("http://") else {
                continue
            }
            let host = text.dropFirst(7).prefix { $0 != "/" && $0 != "?" && $0 != "{" }
            if ["localhost", "127.", "[::1]"].contains(where: host.lowercased().hasPrefix) { continue }
            problems.warn(
                option.value.mark, "plain-http",
                "`\(auth.name)` is not sent to http://\(host): a sign-in goes over https only.",
                hint: "Write https://, or in a network that you trust `plain_http: true` at the sign-in.")
        }
    }

    private func checkSignIns() {
        let names = pipeline.auth.map(\.name), known = Set(names)
        var used: Set<String> = []
        let users =
            pipeline.sources.map { ($0, ModuleKind.source) } + pipeline.stages.map { ($0, .stage) }
            + pipeline.targets.map { ($0, .target) }
        for (use, kind) in users + pipeline.auth.map({ ($0, .auth) }) {
            for reference in registry.entry(kind, use.module)?.references(use.node) ?? [] {
                used.insert(reference.name)
                if kind == .target { checkEncryption(use, pipeline.auth.first { $0.name == reference.name }) }
                if known.contains(reference.name) || broken.contains(.auth) || problems.isFull { continue }
                let near = nearest(reference.name, among: names)
                used.formUnion([near].compactMap { $0 })
                let hint =
                    near.map { "Did you mean `\($0)`?" }
                    ?? (names.isEmpty ? "Give it under `auth:`." : "Known: \(names.joined(separator: ", ")).")
                problems.error(
                    reference.mark, "unknown-auth", "There is no sign-in called `\(reference.name)`.", hint: hint)
            }
        }
        for entry in pipeline.auth where !used.contains(entry.name) && !broken.contains(.target) {
            problems.warn(entry.mark, "unused-auth", "Nothing uses the sign-in `\(entry.name)`.")
        }
    }
}
