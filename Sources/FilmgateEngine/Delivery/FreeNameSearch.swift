import FilmgateCore

/// Names that were chosen while their target did not answer, or that somebody else took: it is asked before anything is
/// sent.
///
/// `NameChooser` does the same for assets that are just being placed; here the deliveries are in their queues already.
struct FreeNameSearch: Sendable {
    let ledger: any Ledger
    let reservations: NameReservations

    /// One try with the files of a shot, the first of them among them.
    func carry(_ group: [Delivery], of first: Delivery) async -> DeliveryEvent {
        let end = await reservations.answers.awaited(first.target) {
            await first.target.trying { () async throws(IngestError) in try await named(group) }
        }
        return switch end {
        case .success(let named): .named(shot: first.shotKey, named)
        case .failure(let error): .unnamed(shot: first.shotKey, DeliveryFailure(error, wasOnlyAsked: true))
        }
    }

    /// Files of one shot at one target under names that are free there, with one suffix for all; throws what keeps the
    /// target from answering.
    ///
    /// Of files that would have one name, such as a sidecar and what it was rewritten to, only the first is among them.
    /// The names are claimed for the shot.
    func named(_ unasked: [Delivery]) async throws(IngestError) -> [Delivery] {
        guard let delivery = unasked.first else { return [] }
        var (group, apart) = try await joined(unasked), taken: Set<String> = []
        if !apart.isEmpty { return try await namedByThemselves(apart, then: group) }
        group = group.filter { taken.insert(SafeName.folded($0.job.path)).inserted }
        var paths = group.map(\.job.path)
        var steps = 0, answers: [Occupancy]?
        if !group.contains(where: \.isRefused) { answers = try await standing(group, at: paths, steps) }
        if answers == nil, try await comesApart(group, paths) {
            return try await namedByThemselves(group, then: [])
        }
        while answers == nil {
            steps += 1
            let next = group.map {
                $0.name?.path(event: $0.job.event, suffix: $0.name.map { $0.suffix + steps }) ?? $0.job.path
            }
            guard steps < 9999, next != paths else {
                throw IngestError(
                    .rejected, "No free name is left for \(delivery.job.name) at \(delivery.target.name).")
            }
            paths = next
            answers = try await standing(group, at: paths, steps)
        }
        // Where other files of the shot stay, it is still called as they are.
        let isGiven = steps == 0 ? nil : try await !staysCalled(group)
        return zip(group, zip(paths, answers ?? [])).map { old, new in
            var named = old
            named.job.path = new.0
            if let suffix = old.name?.suffix { named.name?.suffix = suffix + steps }
            if let isGiven { named.name?.isGiven = isGiven }
            if case .same(let receipt) = new.1 { named.adopted = receipt }
            return named
        }
    }

    /// Whether the shot is still called as files of it that stay: its pictures, or, when only sidecars and memos leave,
    /// other such.
    private func staysCalled(_ leaving: [Delivery]) async throws(IngestError) -> Bool {
        let company = try await company(leaving, 0)
        return leaving.allSatisfy(\.job.asset.kind.follows) ? company.isOwn : company == .own
    }

    /// Each of `apart` alone, then the rest together.
    private func namedByThemselves(_ apart: [Delivery], then rest: [Delivery]) async throws(IngestError) -> [Delivery] {
        var named: [Delivery] = [], taken: Set<String> = []
        for one in apart { named += try await self.named([one]) }
        named += try await self.named(rest)
        return named.filter { taken.insert(SafeName.folded($0.job.path)).inserted }
    }

    /// The group under the name that its shot has by now, where that was moved since theirs were chosen; and those of
    /// it that look for a name by themselves.
    private func joined(_ group: [Delivery]) async throws(IngestError) -> (together: [Delivery], apart: [Delivery]) {
        guard let first = group.first, let shot = first.name?.shot else { return (group.map(Self.withParts), []) }
        let siblings = SiblingNames(ledger: ledger, reservations: reservations)
        let earlier = try await siblings.shotName(shot, at: first.id.target, event: first.job.event)
        return try await together(
            group.map { delivery in
                var delivery = Self.withParts(delivery)
                if let earlier, let name = delivery.name, name.suffix < earlier.suffix {
                    delivery.move(to: earlier.suffix)
                }
                return delivery
            })
    }

    /// All with the highest suffix of them, unless two would have one name then, as files that differ only in case.
    ///
    /// Those that are where a picture of the shot is came apart from the others, and stay there whatever becomes of
    /// them.
    private func together(_ group: [Delivery]) async throws(IngestError) -> (together: [Delivery], apart: [Delivery]) {
        let suffixes = group.map { $0.name?.suffix ?? 1 }
        guard let top = suffixes.max(), suffixes.contains(where: { $0 != top }) else { return (group, []) }
        let paths = Set(group.map { SafeName.folded($0.name?.path(event: $0.job.event, suffix: top) ?? $0.job.path) })
        guard paths.count == group.count else { return (group, []) }
        var rest: [Delivery] = [], apart: [Delivery] = []
        for var one in group {
            let isApart =
                one.name?.suffix != top ? try await company([one], 0, but: Set(group.map(\.id.content))) == .own : false
            if isApart {
                apart.append(one)
            } else {
                one.move(to: top)
                rest.append(one)
            }
        }
        return (rest, apart)
    }

    private static func withParts(_ delivery: Delivery) -> Delivery {
        guard delivery.name == nil, !delivery.job.path.isEmpty else { return delivery }
        var delivery = delivery
        let pattern = PathPattern(path: delivery.job.path, of: delivery.job.asset.shot)
        delivery.name = NameParts(pattern: pattern, shot: NamePlanner.shotKey(delivery.job.asset))
        return delivery
    }

    /// Whether files of the shot are at the target already, and what finds its name taken there takes nothing else
    /// along.
    ///
    /// Sidecars and memos go where their picture goes: where that has to leave them, what comes with it leaves, too.
    private func comesApart(_ group: [Delivery], _ paths: [String]) async throws(IngestError) -> Bool {
        guard group.count > 1 else { return false }
        switch try await company(group, 0) {
        case .own: return true
        case .ownFollowers: break
        case .nobody, .strangers, .perhapsOwn: return false
        }
        let pictures = zip(group, paths).filter { !$0.0.job.asset.kind.follows }
        if pictures.contains(where: \.0.isRefused) { return false }
        return pictures.isEmpty ? true : try await standing(pictures.map(\.0), at: pictures.map(\.1), 0) != nil
    }

    /// What the target says of each path; nil when one of them holds other bytes, is meant for other bytes of ours, or
    /// would stand beside another shot.
    private func standing(_ group: [Delivery], at paths: [String], _ steps: Int) async throws(IngestError)
        -> [Occupancy]?
    {
        var answers: [Occupancy] = [], mine: [String: ContentKey] = [:]
        if let stem = stem(of: group, steps), !reservations.claim(stem.text, at: stem.target, for: group[0].shotKey) {
            return nil
        }
        let neighbours = try await company(group, steps)
        let siblings = SiblingNames(ledger: ledger, reservations: reservations)
        for (one, path) in zip(group, paths) {
            let content = one.id.content, target = one.id.target, folded = SafeName.folded(path)
            // Beside files of this shot another's finds no place, once its target is asked about it.
            let isFree = try await siblings.isFree(
                path, for: one.job.asset, with: content, at: target, mine: mine[folded], isHome: neighbours.isOwn)
            if !isFree { return nil }
            mine[folded] = content
            let answer = try await one.target.target.occupancy(of: path, for: one.job)
            if answer == .other { return nil }
            answers.append(answer)
        }
        // What lies there already makes no difference to whom it lies beside.
        let isThere = answers.allSatisfy { if case .same = $0 { true } else { false } }
        if isThere { return answers }
        if neighbours == .strangers { return nil }
        return try await hasRoomForItsPictures(group, steps) ? answers : nil
    }

    /// False where pictures that sidecars or memos belong to are still to be asked about, and cannot come to where
    /// these would be.
    private func hasRoomForItsPictures(_ group: [Delivery], _ steps: Int) async throws(IngestError) -> Bool {
        guard let (_, target, asset) = stem(of: group, steps), asset.kind.follows,
            let wished = stem(of: group, 0)?.text,
            let first = group.first, let name = first.name
        else { return true }
        let shot = ShotIdentity(asset)
        for file in try await ledger.files(named: wished, at: target) where !file.kind.follows && file.isWish {
            let row = try await ledger.deliveries(of: file.content).first { $0.target == target }
            guard ShotIdentity(file).isOne(with: shot), let row, let parts = row.name else { continue }
            let path = PathPattern(parts.pattern).path(
                event: row.event, counter: parts.counter, suffix: name.suffix + steps)
            var job = first.job
            (job.digests, job.path, job.name) = (Digests(sha256: file.content.sha256), path, file.shot.stem)
            job.file.size = row.size
            if try await first.target.target.occupancy(of: path, for: job) == .other { return false }
        }
        return true
    }

    /// What the names of the group begin with after so many steps, by its picture; nil in a clip tree.
    private func stem(of group: [Delivery], _ steps: Int) -> (text: String, target: String, asset: Asset)? {
        guard let first = group.first(where: { !$0.job.asset.kind.follows }) ?? group.first, let name = first.name,
            first.job.asset.shot.innerPath == nil,
            let stem = name.stem(event: first.job.event, suffix: name.suffix + steps)
        else { return nil }
        return (stem, first.id.target, first.job.asset)
    }

    /// Who is at the name that the group would have after so many steps.
    ///
    /// `but`: those that look for a name themselves.
    private func company(
        _ group: [Delivery], _ steps: Int, but contents: Set<ContentKey>? = nil
    ) async throws(IngestError) -> SiblingNames.Sibling {
        guard let stem = stem(of: group, steps) else { return .nobody }
        return try await SiblingNames(ledger: ledger, reservations: reservations).company(
            of: stem.text, at: stem.target, for: ShotIdentity(stem.asset), but: contents ?? Set(group.map(\.id.content))
        )
    }
}

extension Delivery {
    /// Under the same name with that suffix.
    ///
    /// Left as it was written where that is its suffix already: a long name may have been cut otherwise.
    fileprivate mutating func move(to suffix: Int) {
        guard let name, name.suffix != suffix else { return }
        self.name?.suffix = suffix
        job.path = name.path(event: job.event, suffix: suffix)
    }
}

extension NameReservations {
    func rename(_ old: Delivery, to new: Delivery) {
        let event = new.job.event, target = new.id.target
        let stem = new.job.asset.shot.innerPath == nil ? new.name?.stem(event: event) : nil
        release(old)
        give(new.job.path, to: new.id.content, at: target, ShotIdentity(new.job.asset), stem: stem)
        guard let name = new.name, let given = name.shotName(base: new.job.path) else { return }
        note(given, of: name.shot, at: target, event: event)
    }
}
