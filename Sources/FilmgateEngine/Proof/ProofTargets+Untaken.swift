import FilmgateCore

/// Which targets want files that no run of this station took.
extension ProofTargets {
    /// A file of a card, as far as it was looked at.
    struct Untaken: Sendable {
        var entry: SourceEntry, path: String, digests: Digests
    }
    enum Wish: Sendable {
        /// Those that want it; also those of which that cannot be told from what the file says. `isDamaged`: a part of
        /// it is missing.
        case targets([PlannedTarget], isDamaged: Bool = false)
        /// Why nobody can tell which targets want it.
        case unclear(String)
    }

    /// What the rules of today say of each file of one shot, after reading what the files say of themselves as a run
    /// would.
    ///
    /// Where the rules leave open whether a target wants a file, it does.
    func wanted(
        _ shot: [Untaken], for event: String?, _ reader: any LedgerReader
    ) async throws(IngestError) -> [Wish] {
        var found = shot.map { _ in (targets: [PlannedTarget](), isDamaged: false) }
        for plan in try plans(for: event) {
            // A stage of which nothing is known may change what decides over profiles and rules.
            guard !plan.stages.contains(where: { $0.traits == StageTraits() }) else {
                return shot.map { _ in .unclear("this pipeline has a stage that may decide otherwise") }
            }
            let assets: [Asset]
            switch try await read(shot, by: plan) {
            case .success(let read): assets = read
            case .failure(let error): return shot.map { _ in .unclear(error.message) }
            }
            for (index, targets) in try await wanted(assets, by: plan, reader).enumerated() {
                found[index].targets += targets
                if assets[index].flags.contains(AssetFlag.truncated) { found[index].isDamaged = true }
            }
        }
        return found.map { .targets($0.targets, isDamaged: $0.isDamaged) }
    }

    /// The shot's files with what they say of themselves, in its order.
    private func read(_ shot: [Untaken], by plan: Plan) async throws(IngestError) -> Result<[Asset], IngestError> {
        let assets = shot.map { file in
            var asset = Asset(origin: file.entry.origin, kind: file.entry.kind, shot: file.entry.shot)
            asset.file = LocalFile(path: file.path, size: file.entry.origin.size, ownership: .source)
            asset.digests = file.digests
            if file.entry.isProtected { asset.flags.insert(AssetFlag.protected) }
            return asset
        }
        let line = Line(stages: plan.stages.filter(\.traits.reads))
        let passed = await Result { () async throws(IngestError) in
            try await line.pass(Shot(key: shot.first?.entry.shot.key ?? "", assets: assets))
        }
        guard case .success(let all) = passed else { return passed.map { $0.map(\.asset) } }
        for one in all {
            if case .finish(.setAside, let reason, _) = one.decision {
                return .failure(IngestError(.corruptData, "\(one.asset.origin.name) cannot be read: \(reason)"))
            }
        }
        return .success(all.map(\.asset))
    }

    private func wanted(
        _ assets: [Asset], by plan: Plan, _ reader: any LedgerReader
    ) async throws(IngestError) -> [[PlannedTarget]] {
        let marks = try await reader.marks(of: assets.compactMap { $0.digests?.sha256 })
        let files = assets.map { asset in
            var known = Inheritance.known(asset)
            if let sha256 = asset.digests?.sha256 { known.mark = marks[sha256] ?? PictureMark() }
            return known
        }
        let members = KnownFile.latest(files), shot = KnownShot(remembered: members)
        var found: [[PlannedTarget]] = []
        for (asset, known) in zip(assets, files) {
            let lead = shot.speaker(for: known), facts = lead.remembered(shot: asset.shot).media ?? MediaFacts()
            let profile = try await BodySerials().resolve(facts, lead.kind, plan.profiles, reader)
            let isLeftOut = plan.isSelectedOut(known, members, profile, at: asset.shot)
            found.append(isLeftOut ? [] : plan.wanted(known, profile, plan.frame(of: known, in: shot, profile)))
        }
        return found
    }
}
