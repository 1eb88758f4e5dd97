import FilmgateCore

extension PlanBuilder {
    /// What several stations deliver to; none without a catalogue.
    func shared(_ pipeline: PipelineFile, _ targets: [(name: String, target: any UploadTarget)]) -> SharedTargets {
        guard var rule = pipeline.catalog?.station else { return SharedTargets() }
        rule.oneMachine = rule.oneMachine && isCatalogHere(pipeline)
        return SharedTargets(rule, targets, events: [event].compactMap(\.self) + eventIDs.values)
    }

    private func isCatalogHere(_ pipeline: PipelineFile) -> Bool {
        let found = Result { () throws(IngestError) in try catalog(of: pipeline) }
        return (try? found.get())?.isOnThisMachine == true
    }

    /// What `check` says of targets that several stations deliver to.
    func sharing(in pipeline: PipelineFile, _ targets: [(name: String, target: any UploadTarget)]) -> [Diagnostic] {
        guard let rule = pipeline.catalog?.station else { return [] }
        let shared = shared(pipeline, targets)
        func mark(_ name: String) -> Mark {
            rule.share.first { $0.name == name }?.mark ?? pipeline.catalog?.use.mark ?? Mark()
        }
        var found = shared.refusals.map { refusal in
            let words = refusal.isWarning ? "is shared" : "cannot be shared"
            let problem = ConfigError(
                mark(refusal.target), refusal.isWarning ? "one-network" : "not-shared",
                "`\(refusal.target)` \(words): \(refusal.reason).",
                hint: refusal.advice)
            return Diagnostic(refusal.isWarning || isFolder(refusal.target, targets) ? .warning : .error, problem)
        }
        for (name, target) in targets where shared.common(target.traits.identity) != nil {
            let traits = target.traits
            if traits.localRoot == nil, !traits.idempotent, !traits.answersByDigest {
                let problem = ConfigError(
                    mark(name), "cannot-be-asked",
                    "`\(name)` can neither be asked whether it has a frame nor be sent it twice: where a station is lost while it sends, a person has to look.",
                    hint: "Say with `find` how to ask it, if it can be asked.")
                found.append(Diagnostic(.warning, problem))
            }
            if let clash = counting(name, traits, pipeline) { found.append(clash) }
        }
        if rule.oneMachine { found.append(oneMachine(pipeline)) }
        return found
    }

    /// Numbers that two stations give by themselves, at a target that both fill, and nothing that tells them apart.
    private func counting(_ name: String, _ traits: TargetTraits, _ pipeline: PipelineFile) -> Diagnostic? {
        guard let layout = traits.layout, !layout.uses.contains("station") else { return nil }
        var place: Mark?
        if layout.uses.contains("counter") {
            let use = pipeline.targets.first { $0.name == name }
            place = use.flatMap { Self.counter(in: $0.node) ?? $0.mark }
        } else if !layout.uses.isDisjoint(with: ["name", "stem"]) {
            let renaming = pipeline.profiles.profiles.first { profile in
                guard let rename = profile.rename, rename.uses.contains("counter") else { return false }
                return !rename.uses.contains("station") && profile.deliver.map { $0[name] != nil } ?? true
            }
            place = renaming?.mark
        }
        guard let place else { return nil }
        return Diagnostic(
            .error,
            ConfigError(
                place, "station-counter",
                "`{counter}` counts at each station by itself: at `\(name)`, which stations share, two frames come to one number.",
                hint: "Write `{station}` beside it, such as `{station}-{counter:4}`, or a folder `{station}/`."))
    }

    /// Where options count files: the place of `{counter}` itself.
    private static func counter(in node: ConfigNode) -> Mark? {
        switch node.value {
        case .scalar(let text, let isQuoted):
            guard let start = text.firstRange(of: "{counter")?.lowerBound else { return nil }
            var mark = node.mark
            mark.column += text.unicodeScalars.distance(from: text.startIndex, to: start) + (isQuoted ? 1 : 0)
            return mark
        case .list(let items): return items.lazy.compactMap { counter(in: $0) }.first
        case .map(let pairs): return pairs.lazy.compactMap { counter(in: $0.value) }.first
        case .null: return nil
        }
    }

    private func isFolder(_ name: String, _ targets: [(name: String, target: any UploadTarget)]) -> Bool {
        targets.contains { $0.name == name && $0.target.traits.localRoot != nil }
    }

    /// For trying out: where the catalogue itself can be reached from elsewhere, so can a station whose `localhost` is
    /// another machine.
    private func oneMachine(_ pipeline: PipelineFile) -> Diagnostic {
        let mark = pipeline.catalog?.use.mark ?? Mark()
        if isCatalogHere(pipeline) {
            return .warning(
                mark, "one-machine",
                "`one_machine` shares addresses of this machine: for trying out, never with a second machine.")
        }
        return Diagnostic(
            .error,
            ConfigError(
                mark, "one-machine", "`one_machine` cannot be said of a catalogue that other machines reach.",
                hint: "Remove it, and share addresses that mean the same machine everywhere."))
    }
}
