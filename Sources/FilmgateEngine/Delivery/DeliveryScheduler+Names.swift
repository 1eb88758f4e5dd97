import FilmgateCore

/// Names that were chosen while their target did not answer, or that somebody else took: it is asked before anything is sent.
extension DeliveryScheduler {
    /// The delivery under a name that is free at its target; throws what keeps the target from answering.
    func named(_ delivery: Delivery) async throws(IngestError) -> Delivery {
        let key = delivery.shotKey
        let task: Task<Result<Void, IngestError>, Never>
        if let running = asking[key] {
            task = running
        } else {
            task = Task { await Result { () async throws(IngestError) in try await self.settleNames(of: key, like: delivery) } }
            asking[key] = task
        }
        let result = await task.value
        if asking[key] == task { asking[key] = nil }
        try result.get()
        guard let current = deliveries[delivery.id] else { return delivery }
        // It joined the shot while the others were asked for.
        return current.isUnasked ? try await named(current) : current
    }

    /// The name was taken since it was chosen: the files of the shot that were not sent yet move on together.
    func moveOn(_ refused: Delivery) {
        let key = refused.shotKey
        deliveries[refused.id]?.isRefused = true
        for (id, delivery) in deliveries where id.target == refused.id.target && delivery.job.asset.shot.key == refused.job.asset.shot.key {
            let isFree = delivery.attempts <= 0 && delivery.adopted == nil && delivery.recheck == nil && !delivery.mayHaveArrived
            guard case .waiting = delivery.state, id == refused.id || isFree, delivery.shotKey == key else { continue }
            deliveries[id]?.isUnasked = true
            if unasked[key]?.contains(id) != true { unasked[key, default: []].append(id) }
        }
    }

    /// One suffix for all files of the shot that wait for this target.
    private func settleNames(of key: String, like delivery: Delivery) async throws(IngestError) {
        var ids = unasked[key] ?? []
        if !ids.contains(delivery.id) { ids.append(delivery.id) }
        let target = delivery.id.target
        defer { reservations.endClaims(of: key, at: target) }
        var group = try await joined(ids.compactMap { deliveries[$0] }.filter(\.isUnasked)), taken: Set<String> = []
        // As it was written where nothing has changed: a long name may have been cut otherwise.
        func path(_ one: Delivery) -> String {
            one.name == deliveries[one.id]?.name ? one.job.path : one.name?.path(event: one.job.event) ?? one.job.path
        }
        // Of files that would have one name, such as a sidecar and what it was rewritten to, the first goes first.
        group = group.filter { taken.insert(SafeName.folded(path($0))).inserted }
        ids = group.map(\.id)
        var paths = group.map(path)
        var steps = 0, answers: [Occupancy]?
        if !group.contains(where: \.isRefused) { answers = try await standing(group, at: paths, steps) }
        while answers == nil {
            steps += 1
            let next = group.map { $0.name?.path(event: $0.job.event, suffix: $0.name.map { $0.suffix + steps }) ?? $0.job.path }
            guard steps < 9999, next != paths else {
                throw IngestError(.rejected, "No free name is left for \(delivery.job.name) at \(delivery.target.name).")
            }
            paths = next
            answers = try await standing(group, at: paths, steps)
        }
        // Where other files of the shot stay, it is still called as they are.
        let isGiven = steps == 0 ? nil : try await company(group, 0) != .own
        unasked[key]?.removeAll(where: ids.contains)
        if unasked[key]?.isEmpty == true { unasked[key] = nil }
        for (index, one) in group.enumerated() {
            await rename(one, to: paths[index], answers?[index] ?? .free, steps: steps, isGiven: isGiven)
        }
    }

    /// The group under the name that its shot has by now, where that was moved since theirs were chosen.
    private func joined(_ group: [Delivery]) async throws(IngestError) -> [Delivery] {
        guard let first = group.first, let shot = first.name?.shot else { return group.map(Self.withParts) }
        let hood = SiblingNames(ledger: ledger, reservations: reservations)
        let earlier = try await hood.shotName(shot, at: first.id.target, event: first.job.event)
        return Self.together(
            group.map { delivery in
                var delivery = Self.withParts(delivery)
                if let earlier, let name = delivery.name, name.suffix < earlier.suffix { delivery.name?.suffix = earlier.suffix }
                return delivery
            })
    }

    /// All with the highest suffix of them, unless two would have one name then, as files that differ only in case.
    private static func together(_ group: [Delivery]) -> [Delivery] {
        let suffixes = group.map { $0.name?.suffix ?? 1 }
        guard let top = suffixes.max(), suffixes.contains(where: { $0 != top }) else { return group }
        let paths = Set(group.map { SafeName.folded($0.name?.path(event: $0.job.event, suffix: top) ?? $0.job.path) })
        guard paths.count == group.count else { return group }
        return group.map { delivery in
            var delivery = delivery
            delivery.name?.suffix = top
            return delivery
        }
    }

    private static func withParts(_ delivery: Delivery) -> Delivery {
        guard delivery.name == nil, !delivery.job.path.isEmpty else { return delivery }
        var delivery = delivery
        let pattern = PathPattern(path: delivery.job.path, of: delivery.job.asset.shot)
        delivery.name = NameParts(pattern: pattern, shot: NamePlanner.shotKey(delivery.job.asset))
        return delivery
    }

    /// What the target says of each path; nil when one of them holds other bytes, is meant for other bytes of ours, or would stand beside
    /// another shot.
    private func standing(_ group: [Delivery], at paths: [String], _ steps: Int) async throws(IngestError) -> [Occupancy]? {
        var answers: [Occupancy] = [], mine: [String: ContentKey] = [:]
        if let stem = stem(of: group, steps), !reservations.claim(stem.text, at: stem.target, for: group[0].shotKey) { return nil }
        for (one, path) in zip(group, paths) {
            let content = one.id.content, target = one.id.target, folded = SafeName.folded(path)
            let other = mine[folded] ?? reservations.holder(of: path, at: target), earlier = try await ledger.holder(of: path, at: target)
            for holder in [other, earlier].compactMap({ $0 }) where one.job.asset.mustLeave(to: holder, with: content) { return nil }
            mine[folded] = content
            let answer = try await one.target.target.occupancy(of: path, for: one.job)
            if answer == .other { return nil }
            answers.append(answer)
        }
        // What lies there already makes no difference to whom it lies beside.
        let isThere = answers.allSatisfy { if case .same = $0 { true } else { false } }
        if isThere { return answers }
        return try await company(group, steps) == .strangers ? nil : answers
    }

    /// What the names of the group begin with after so many steps, by its picture; nil in a clip tree.
    private func stem(of group: [Delivery], _ steps: Int) -> (text: String, target: String, asset: Asset)? {
        guard let first = group.first(where: { !$0.job.asset.kind.follows }) ?? group.first, let name = first.name,
            first.job.asset.shot.innerPath == nil, let stem = name.stem(event: first.job.event, suffix: name.suffix + steps)
        else { return nil }
        return (stem, first.id.target, first.job.asset)
    }

    /// Who is at the name that the group would have after so many steps.
    private func company(_ group: [Delivery], _ steps: Int) async throws(IngestError) -> SiblingNames.Sibling {
        guard let stem = stem(of: group, steps) else { return .nobody }
        return try await SiblingNames(ledger: ledger, reservations: reservations).company(
            of: stem.text, at: stem.target, for: ShotMark(stem.asset), but: Set(group.map(\.id.content)))
    }

    /// The ledger knows the name before anything is sent under it.
    private func rename(_ old: Delivery, to path: String, _ answer: Occupancy, steps: Int, isGiven: Bool?) async {
        guard var delivery = deliveries[old.id] else { return }
        let event = delivery.job.event, target = delivery.id.target
        var name = old.name
        if let suffix = old.name?.suffix { name?.suffix = suffix + steps }
        if let isGiven { name?.isGiven = isGiven }
        let stem = delivery.job.asset.shot.innerPath == nil ? name?.stem(event: event) : nil
        reservations.release(delivery)
        reservations.give(path, to: delivery.id.content, at: target, ShotMark(delivery.job.asset), stem: stem)
        if let name, let given = name.shotName(base: path) { reservations.note(given, of: name.shot, at: target, event: event) }
        delivery.name = name
        delivery.job.path = path
        (delivery.isUnasked, delivery.isRefused) = (false, false)
        if case .same(let receipt) = answer { delivery.adopted = receipt }
        deliveries[old.id] = delivery
        guard let owner = delivery.listeners.first, let assetDeliveries = open[owner] else { return }
        await record(written(delivery, Receipt(state: .pending, at: delivery.since), bytes: assetDeliveries.bytes))
    }
}
