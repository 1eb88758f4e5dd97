import FilmgateCore

/// Names that were chosen while their target did not answer: it is asked when it does, before anything is sent.
extension Dispatcher {
    /// The parcel under a name that is free at its target; throws what keeps the target from answering.
    func named(_ parcel: Parcel) async throws(IngestError) -> Parcel {
        let key = parcel.shotKey
        let task: Task<Result<Void, IngestError>, Never>
        if let running = asking[key] {
            task = running
        } else {
            task = Task { await Result { () async throws(IngestError) in try await self.settleNames(of: key, like: parcel) } }
            asking[key] = task
        }
        let result = await task.value
        if asking[key] == task { asking[key] = nil }
        try result.get()
        guard let current = parcels[parcel.id] else { return parcel }
        // It joined the shot while the others were asked for.
        return current.isUnasked ? try await named(current) : current
    }

    /// One suffix for all files of the shot that wait for this target.
    private func settleNames(of key: String, like parcel: Parcel) async throws(IngestError) {
        var ids = unasked[key] ?? []
        if !ids.contains(parcel.id) { ids.append(parcel.id) }
        let group = ids.compactMap { parcels[$0] }.filter(\.isUnasked)
        var paths = group.map(\.job.path), steps = 0
        var answers = try await standing(group, at: paths)
        while answers == nil {
            guard steps < 9999 else {
                throw IngestError(.nameTaken, "No free name for \(parcel.job.name) at \(parcel.target.name) after 9999 tries.")
            }
            steps += 1
            for (index, one) in group.enumerated() { paths[index] = Courier.nextName(after: paths[index], of: one.job.asset.shot) }
            answers = try await standing(group, at: paths)
        }
        unasked[key]?.removeAll(where: ids.contains)
        if unasked[key]?.isEmpty == true { unasked[key] = nil }
        for (index, one) in group.enumerated() { await rename(one, to: paths[index], answers?[index] ?? .free, steps: steps) }
    }

    /// What the target says of each path; nil when one of them holds other bytes, or is meant for other bytes of ours.
    private func standing(_ group: [Parcel], at paths: [String]) async throws(IngestError) -> [Occupancy]? {
        var answers: [Occupancy] = [], mine: [String: ContentKey] = [:]
        for (one, path) in zip(group, paths) {
            let content = one.id.content, target = one.id.target, folded = SafeName.folded(path)
            let other = mine[folded] ?? book.holder(of: path, at: target), earlier = try await ledger.holder(of: path, at: target)
            for holder in [other, earlier].compactMap({ $0 }) where one.job.asset.mustLeave(to: holder, with: content) { return nil }
            mine[folded] = content
            let answer = try await one.target.target.occupancy(of: path, for: one.job)
            if answer == .other { return nil }
            answers.append(answer)
        }
        return answers
    }

    /// The ledger knows the name before anything is sent under it.
    private func rename(_ old: Parcel, to path: String, _ answer: Occupancy, steps: Int) async {
        guard var parcel = parcels[old.id] else { return }
        if path != old.job.path {
            book.release(parcel)
            book.give(path, to: parcel.id.content, at: parcel.id.target, ShotMark(parcel.job.asset))
        }
        parcel.job.path = path
        parcel.isUnasked = false
        if case .same(let receipt) = answer { parcel.adopted = receipt }
        parcels[old.id] = parcel
        guard let owner = parcel.listeners.first, let consignment = open[owner] else { return }
        if steps > 0 {
            let earlier = consignment.shot.name
            open[owner]?.shot.name = ShotName(
                counter: earlier?.counter ?? 0, suffix: (earlier?.suffix ?? 1) + steps, base: earlier?.base ?? path)
        }
        await record(written(parcel, Receipt(state: .pending, at: parcel.since), bytes: consignment.bytes))
    }
}
