import FilmgateCore

/// Choosing names: the same suffix for every file of a shot, and never a name that holds other bytes.
extension Placer {
    func name(
        _ drafts: inout [Draft], at target: PlannedTarget, values: ShotValues, lead: NamingLead?, profile: ResolvedProfile
    ) async throws(IngestError) {
        var indices: [Int] = [], contents: Set<ContentKey> = []
        for index in drafts.indices where drafts[index].unnamed.contains(target.name) {
            let isNew = contents.insert(drafts[index].content).inserted && !book.isPromised(drafts[index].content, at: target.identity)
            if isNew { indices.append(index) } else { drafts[index].paths[target.name] = "" }
        }
        guard !indices.isEmpty else { return }
        guard let layout = target.traits.layout else {
            for index in indices { drafts[index].paths[target.name] = "" }
            return
        }
        let namer = Namer(layout: layout, rename: profile.rename), asset = drafts[indices[0]].asset
        let tree = TreeBook.Place(asset.origin, asset.shot)
        let shot = try await shotName(of: asset, in: tree, at: target, namer: namer)
        var home: TemplateValues?
        if let tree { home = try await treeValues(tree) }
        func paths(_ indices: [Int], _ suffix: Int) -> [String] {
            indices.map {
                path(of: drafts[$0], namer, values: values, lead: lead, tree: home, counter: shot.counter, suffix: suffix)
            }
        }
        let second = try await secondSidecars(drafts, indices, paths(indices, shot.suffix), at: target)
        for index in second { drafts[index].leaveOut(target) }
        indices.removeAll(where: second.contains)
        // Files that differ only in case share a name on many file systems: the later ones are suffixed by themselves.
        for group in Self.withoutClashes(indices, paths(indices, shot.suffix)) {
            do throws(IngestError) {
                let found = try await firstFree(from: shot.suffix, drafts: drafts, indices: group, at: target) { paths(group, $0) }
                if let tree { trees.keep(ShotName(counter: shot.counter, suffix: found.suffix, base: ""), tree, at: target.identity) }
                for (position, index) in group.enumerated() {
                    take(found.paths[position], found.answers[position], &drafts[index], at: target)
                    if found.suffix > 1 || namer.usesCounter {
                        drafts[index].name = ShotName(counter: shot.counter, suffix: found.suffix, base: found.paths[0])
                        drafts[index].counters[target.name] = shot.counter
                    }
                }
            } catch {
                // A name that cannot be had is a matter of these files alone.
                guard error.code.disposition == .setAside else { throw error }
                for index in group { drafts[index].receipts[target.name] = Receipt(state: .failed, reason: error.description) }
            }
        }
    }

    /// The first suffix with which none of the names holds other bytes.
    private func firstFree(
        from first: Int, drafts: [Draft], indices: [Int], at target: PlannedTarget, paths: (Int) -> [String]
    ) async throws(IngestError) -> (suffix: Int, paths: [String], answers: [Answer]) {
        var last: [String] = []
        for suffix in first...max(first, 9999) {
            let names = paths(suffix)
            // A name that no suffix changes never becomes free.
            if names == last { break }
            if let answers = try await free(names, drafts: drafts, indices: indices, at: target) { return (suffix, names, answers) }
            last = names
        }
        throw IngestError(
            .nameTaken, "No free name is left for \(drafts[indices[0]].asset.origin.name) at \(target.name).",
            advice: "Let the target's `path` or `name` hold more of what tells files apart, such as {captured:HHmmss}.")
    }

    /// Splits `indices` so that no two of a group have the same folded path.
    private static func withoutClashes(_ indices: [Int], _ paths: [String]) -> [[Int]] {
        var groups: [[Int]] = [], taken: [Set<String>] = []
        for (position, index) in indices.enumerated() {
            let folded = SafeName.folded(paths[position])
            if let free = taken.firstIndex(where: { !$0.contains(folded) }) {
                groups[free].append(index)
                taken[free].insert(folded)
            } else {
                groups.append([index])
                taken.append([folded])
            }
        }
        return groups
    }

    private func take(_ path: String, _ answer: Answer, _ draft: inout Draft, at target: PlannedTarget) {
        switch answer {
        case .told(.same(var receipt)) where !again:
            receipt.existed = true
            draft.adopted[target.name] = receipt
        case .told: break
        case .silence: draft.unasked.insert(target.name)
        }
        draft.paths[target.name] = path
        book.give(path, to: draft.content, at: target.identity, ShotMark(draft.asset))
    }

    private func path(
        of draft: Draft, _ namer: Namer, values: ShotValues, lead: NamingLead?, tree: TemplateValues?, counter: Int, suffix: Int
    ) -> String {
        if var tree, draft.asset.shot.innerPath != nil {
            tree.counter = counter
            return namer.path(of: draft.asset, values: tree, lead: nil, suffix: suffix)
        }
        var asset = draft.asset
        // A clip of another day only bears the same name: it lies where its own day does.
        let lead = lead.flatMap { !asset.kind.follows && ShotTime.isApart(draft.captured, $0.time) ? nil : $0 }
        let isLead = lead.map { $0.asset.id == asset.id } ?? true
        if isLead, let lead { asset.media = lead.asset.media }
        let time = (isLead ? nil : draft.captured) ?? lead?.time ?? draft.captured ?? CaptureTime.ofFile(asset.origin.modified)
        let own = values.values(for: asset, primary: lead?.asset, captured: time, counter: counter)
        guard !isLead, let lead else { return namer.path(of: asset, values: own, lead: nil, suffix: suffix) }
        let first = values.values(for: lead.asset, primary: nil, captured: lead.time, counter: counter)
        return namer.path(of: asset, values: own, lead: first, suffix: suffix)
    }

    /// What stands at each path, when none of them holds other bytes; nil when one does.
    func free(
        _ paths: [String], drafts: [Draft], indices: [Int], at target: PlannedTarget
    ) async throws(IngestError) -> [Answer]? {
        var answers: [Answer] = [], mine: [String: ContentKey] = [:]
        for (position, index) in indices.enumerated() {
            let path = paths[position], draft = drafts[index], folded = SafeName.folded(path)
            let other = mine[folded] ?? book.holder(of: path, at: target.identity)
            if let other, draft.asset.mustLeave(to: other, with: draft.content) { return nil }
            mine[folded] = draft.content
            // A folder may tell names apart that are one on the disk that it is copied to; and what waits for its event, or was
            // removed since, stands nowhere but in the ledger.
            let earlier = try await ledger.holder(of: path, at: target.identity)
            if let earlier, draft.asset.mustLeave(to: earlier, with: draft.content) { return nil }
            let bytes = draft.bytes(for: target)
            let job = UploadJob(
                asset: draft.asset, file: bytes.file, digests: bytes.digests, path: path, name: draft.asset.origin.name,
                values: TemplateValues(), event: event)
            let answer = try await ask(target, path, job)
            if answer == .told(.other) { return nil }
            answers.append(answer)
        }
        return answers
    }

    /// What a target says of a name; `silence` when it cannot be asked now: then the name is chosen by what we know ourselves, and the
    /// target is asked before anything is sent.
    enum Answer: Equatable { case told(Occupancy), silence }

    /// A target in a network is given a few seconds: the folders must not wait for it, nor for one that was silent before.
    private func ask(_ target: PlannedTarget, _ path: String, _ job: UploadJob) async throws(IngestError) -> Answer {
        if target.isLocal {
            do throws(IngestError) { return .told(try await target.target.occupancy(of: path, for: job)) } catch {
                // A disk that is gone keeps nothing from the others.
                guard error.code == .unavailable else { throw error }
                return .silence
            }
        }
        guard !book.isSilent(target.identity) else { return .silence }
        let result = await CancelFlag().answer(within: Self.patience) { () async throws(IngestError) in
            try await target.target.occupancy(of: path, for: job)
        }
        switch result {
        case .success(let answer)?: return .told(answer)
        // A server that is set up wrongly holds its own queue, once it is to be sent something; the folders get theirs.
        case .failure(let error)? where !error.code.isAboutTheTarget && error.code != .misconfigured: throw error
        case .failure, nil:
            book.note(silent: true, target.identity)
            return .silence
        }
    }

    private static let patience = Duration.seconds(10)

    /// The name that the shot was given before, so that a late file joins it, or that its tree has; else a fresh counter.
    private func shotName(
        of asset: Asset, in tree: TreeBook.Place?, at target: PlannedTarget, namer: Namer
    ) async throws(IngestError) -> ShotName {
        if let earlier = try await ledger.shotName(Self.shotKey(asset), at: target.identity, event: event) { return earlier }
        if let tree, let name = try await treeName(tree, at: target, namer: namer) { return name }
        guard namer.usesCounter else { return ShotName(counter: 0, suffix: 1, base: "") }
        let last = try await ledger.counter(at: target.identity, event: event)
        return ShotName(counter: book.nextCounter(target.identity, event: event, after: last), suffix: 1, base: "")
    }
}
