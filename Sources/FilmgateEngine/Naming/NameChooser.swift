import FilmgateCore

/// Chooses the names of one shot at one target: one suffix for all of its files, never a name that holds other bytes.
struct NameChooser: Sendable {
    let ledger: any LedgerReader
    let reservations: NameReservations
    let trees: ClipTreeNames
    let event: String?
    let again: Bool
    /// Of the run, whose clock limits how long a target is asked.
    let stopping: CancelToken

    /// What a shot is called after, at whichever target.
    struct Basis {
        let values: ShotValues, lead: NamingPrimary?, profile: ResolvedProfile
        /// What the folder of its clip tree is filled in with.
        let home: TemplateValues?
    }

    /// Gives each of `drafts` that has none its name at `target`; what cannot have one fails there, and nothing else.
    func name(_ drafts: inout [Draft], at target: PlannedTarget, by basis: Basis) async throws(IngestError) {
        var indices: [Int] = [], contents: Set<ContentKey> = []
        for index in drafts.indices where drafts[index].unnamed.contains(target.name) {
            let isNew =
                contents.insert(drafts[index].content).inserted
                && !reservations.isPromised(drafts[index].content, at: target.identity)
            if isNew { indices.append(index) } else { drafts[index].paths[target.name] = "" }
        }
        guard !indices.isEmpty else { return }
        guard let layout = target.traits.layout else {
            for index in indices { drafts[index].paths[target.name] = "" }
            return
        }
        let namer = Namer(layout: layout, rename: basis.profile.rename), asset = drafts[indices[0]].asset
        let tree = ClipTreeNames.Place(asset.origin, asset.shot)
        let shot = Self.shotKey(drafts, basis.lead)
        var round = NamingRound(target: target, namer: namer, shot: shot, values: basis.values, lead: basis.lead)
        round.givenBeside = reservations.givenBeside
        defer { reservations.endClaims(of: round.claimant, at: target.identity) }
        try await begin(&round, asset, in: tree)
        if tree != nil { round.home = basis.home }
        for index in indices { round.parts[index] = parts(of: drafts[index], round) }
        if event == DeliveryRow.unassigned, namer.usesCounter {
            for index in indices { promise(&drafts[index], round.pattern(of: index), round) }
            return
        }
        if drafts.contains(where: \.isMade) {
            let names = round.paths(of: indices, suffix: round.name.suffix)
            let second = try await secondSidecars(drafts, indices, names, at: target)
            for index in second { drafts[index].leaveOut(target) }
            indices.removeAll(where: second.contains)
        }
        // Files that differ only in case share a name on many file systems: the later ones are suffixed by themselves.
        for group in Self.withoutClashes(indices, round) {
            do throws(IngestError) {
                try await give(&drafts, group, &round, in: tree)
            } catch {
                // A name that cannot be had is a matter of these files alone.
                guard error.code.disposition == .setAside else { throw error }
                let failed = Receipt(state: .failed, reason: error.description)
                for index in group {
                    drafts[index].receipts[target.name] = failed
                    leaveUnasked(&drafts[index], round.pattern(of: index), round)
                }
            }
        }
    }

    /// The shot's own key, whichever of its files come: that of the picture that names it.
    static func shotKey(_ drafts: [Draft], _ lead: NamingPrimary?) -> String {
        let picture = lead.map(\.asset) ?? drafts.first { !$0.asset.kind.follows }?.asset
        return (picture ?? drafts.first?.asset).map(NamePlanner.shotKey) ?? ""
    }

    /// Its number cannot be known before its event: the name is made when somebody says that.
    private func promise(_ draft: inout Draft, _ pattern: PathPattern, _ round: NamingRound) {
        let name = NameParts(pattern: pattern, shot: round.shot)
        draft.names[round.target.name] = name
        draft.paths[round.target.name] = name.path(event: nil)
    }

    /// The delivery is written down with the name that it would have, so that `retry` and `cancel` find it.
    private func leaveUnasked(_ draft: inout Draft, _ pattern: PathPattern, _ round: NamingRound) {
        let name = NameParts(
            pattern: pattern, counter: round.name.counter, suffix: round.name.suffix, shot: round.shot)
        draft.names[round.target.name] = name
        draft.paths[round.target.name] = name.path(event: event == DeliveryRow.unassigned ? nil : event)
        draft.leaveOpen(at: round.target)
    }

    /// One name for the files of `group`, from the shot's own on.
    private func give(
        _ drafts: inout [Draft], _ group: [Int], _ round: inout NamingRound, in tree: ClipTreeNames.Place?
    ) async throws(IngestError) {
        let target = round.target, patterns = group.map { [round] in round.pattern(of: $0) }
        if tree == nil, !round.isNamed { try await findHome(&round, drafts, group, patterns[0]) }
        if try await comesApart(round, drafts, group) {
            // The shot has its place: what finds its name taken there takes nothing else along.
            round.isNamed = true
            for index in group {
                // Who is company to a picture is none to its sidecar.
                round.company = [:]
                try await give(&drafts, [index], &round, in: tree)
            }
            return
        }
        let first = round.name.suffix, found = try await firstFree(&round, drafts, group, patterns[0])
        if let tree {
            trees.keep(ShotName(counter: round.name.counter, suffix: found.suffix, base: ""), tree, at: target.identity)
        }
        let isGiven = !round.isNamed && (found.suffix == first || round.company[first] != .own)
        round.isNamed = true
        // Where others of the shot are still to ask for their name, they move together.
        let isOpen = drafts.contains { $0.unasked.contains(target.name) && $0.paths[target.name] != nil }
        for (position, index) in group.enumerated() {
            let path = found.paths[position]
            let name = NameParts(
                pattern: patterns[position], counter: round.name.counter, suffix: found.suffix, shot: round.shot,
                isGiven: isGiven)
            drafts[index].names[target.name] = name
            take(path, found.answers[position], &drafts[index], name, at: target)
            if isOpen { drafts[index].leaveOpen(at: target) }
            if position == 0, let given = name.shotName(base: path) {
                reservations.note(given, of: round.shot, at: target.identity, event: event)
            }
        }
    }

    /// Whether files of the shot are at the target already, and not all of `group` can have their names beside them.
    ///
    /// Sidecars and memos go where their picture goes: where that has to leave them, what comes with it leaves, too.
    private func comesApart(_ round: NamingRound, _ drafts: [Draft], _ group: [Int]) async throws(IngestError) -> Bool {
        guard group.count > 1, !round.isNamed else { return false }
        let company = round.company[round.name.suffix], pictures = group.filter { !drafts[$0].asset.kind.follows }
        guard company?.isOwn == true else { return false }
        if company == .ownFollowers, !pictures.isEmpty {
            let names = round.paths(of: pictures, suffix: round.name.suffix)
            let found = try await free(names, drafts: drafts, indices: pictures, at: round.target, isHome: true)
            if found == nil { return false }
        }
        let names = round.paths(of: group, suffix: round.name.suffix)
        return try await free(names, drafts: drafts, indices: group, at: round.target, isHome: true) == nil
    }

    /// Begins at the suffix where files of the shot are already, whatever was remembered; best where its picture is.
    private func findHome(
        _ round: inout NamingRound, _ drafts: [Draft], _ group: [Int], _ pattern: PathPattern
    ) async throws(IngestError) {
        let remembered = try await company(round.name.suffix, &round, drafts, group, pattern)
        if remembered == .own { return }
        var followers = remembered == .ownFollowers ? round.name.suffix : nil
        for suffix in 1...99 {
            switch try await company(suffix, &round, drafts, group, pattern) {
            case .own: return round.name.suffix = suffix
            case .ownFollowers: followers = followers ?? suffix
            case .strangers, .perhapsOwn: continue
            case .nobody:
                if let followers { round.name.suffix = followers }
                return
            }
        }
    }

    private var siblings: SiblingNames { SiblingNames(ledger: ledger, reservations: reservations) }

    private func company(
        _ suffix: Int, _ round: inout NamingRound, _ drafts: [Draft], _ group: [Int], _ pattern: PathPattern
    ) async throws(IngestError) -> SiblingNames.Sibling {
        if let known = round.company[suffix] { return known }
        let stem = pattern.stem(event: event, counter: round.name.counter, suffix: suffix)
        guard let stem, let first = group.first(where: { !drafts[$0].asset.kind.follows }) ?? group.first else {
            return .nobody
        }
        let target = round.target.identity
        let company = try await siblings.company(
            of: stem, at: target, for: ShotIdentity(drafts[first].asset), but: Set(group.map { drafts[$0].content }))
        round.company[suffix] = company
        return company
    }

    /// The first suffix with which none of the names holds other bytes or stands beside another shot's files.
    private func firstFree(
        _ round: inout NamingRound, _ drafts: [Draft], _ group: [Int], _ pattern: PathPattern
    ) async throws(IngestError) -> (suffix: Int, paths: [String], answers: [NameInquiry.Answer]) {
        var last: [String] = []
        let first = round.name.suffix, isInTree = drafts[group[0]].asset.shot.innerPath != nil
        for suffix in first...max(first, 9999) {
            let names = round.paths(of: group, suffix: suffix)
            // A name that no suffix changes never becomes free.
            if names == last { break }
            last = names
            // A target that did not answer before may just be asked about it, for another shot.
            let stem = pattern.stem(event: event, counter: round.name.counter, suffix: suffix)
            let isClaimed =
                isInTree || stem.map { reservations.claim($0, at: round.target.identity, for: round.claimant) } ?? true
            if reservations.givenBeside != round.givenBeside {
                (round.company, round.givenBeside) = ([:], reservations.givenBeside)
            }
            if !isInTree {
                let company = try await company(suffix, &round, drafts, group, pattern)
                // Where this shot stands already, whoever else is just looking finds it and goes on.
                if company == .strangers || (!isClaimed && !company.isOwn) { continue }
            }
            let isHome = round.company[suffix]?.isOwn == true
            let answers = try await free(names, drafts: drafts, indices: group, at: round.target, isHome: isHome)
            if let answers { return (suffix, names, answers) }
        }
        throw IngestError(
            .nameTaken, "No free name is left for \(drafts[group[0]].asset.origin.name) at \(round.target.name).",
            advice: "Let the target's `path` or `name` hold more of what tells files apart, such as {captured:HHmmss}.")
    }

    /// Splits `indices` so that no two of a group have the same folded path.
    private static func withoutClashes(_ indices: [Int], _ round: NamingRound) -> [[Int]] {
        guard indices.count > 1 else { return indices.isEmpty ? [] : [indices] }
        let paths = round.paths(of: indices, suffix: round.name.suffix)
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

    private func take(
        _ path: String, _ answer: NameInquiry.Answer, _ draft: inout Draft, _ name: NameParts,
        at target: PlannedTarget
    ) {
        switch answer {
        case .told(.same(var receipt)) where !again:
            receipt.existed = true
            draft.adopted[target.name] = receipt
        case .told: break
        case .silence: draft.unasked.insert(target.name)
        }
        draft.paths[target.name] = path
        let stem = draft.asset.shot.innerPath == nil ? name.stem(event: event) : nil
        reservations.give(path, to: draft.content, at: target.identity, ShotIdentity(draft.asset), stem: stem)
    }

    /// What the name is made of.
    ///
    /// Its number stays open while its event is not known.
    private func parts(of draft: Draft, _ round: NamingRound) -> NamingRound.Parts {
        let isOpen = event == DeliveryRow.unassigned && round.namer.usesCounter
        let counter = isOpen ? nil : round.name.counter
        func open(_ values: TemplateValues) -> TemplateValues {
            guard counter == nil else { return values }
            var values = values
            values.text["counter"] = NameSlot.counter
            return values
        }
        if var tree = round.home, draft.asset.shot.innerPath != nil {
            tree.counter = counter
            return NamingRound.Parts(asset: draft.asset, values: open(tree), lead: nil)
        }
        let values = round.values
        var asset = draft.asset
        // A clip of another day only bears the same name: it lies where its own day does.
        let lead = round.lead.flatMap { !asset.kind.follows && ShotTime.isApart(draft.captured, $0.time) ? nil : $0 }
        let isLead = lead.map { $0.asset.id == asset.id } ?? true
        if isLead, let lead { asset.media = lead.asset.media }
        let time =
            (isLead ? nil : draft.captured) ?? lead?.time ?? draft.captured ?? CaptureTime.ofFile(asset.origin.modified)
        let own = values.values(for: asset, primary: lead?.asset, captured: time, counter: counter)
        guard !isLead, let lead else { return NamingRound.Parts(asset: asset, values: open(own), lead: nil) }
        let leads = values.values(for: lead.asset, primary: nil, captured: lead.time, counter: counter)
        return NamingRound.Parts(asset: asset, values: open(own), lead: open(leads))
    }

    /// What stands at each path, when none of them holds other bytes; nil when one does.
    ///
    /// With `isHome`, where files of the shot are, what others only wish for counts as free.
    func free(
        _ paths: [String], drafts: [Draft], indices: [Int], at target: PlannedTarget, isHome: Bool = false
    ) async throws(IngestError) -> [NameInquiry.Answer]? {
        let inquiry = NameInquiry(reservations: reservations, stopping: stopping)
        var answers: [NameInquiry.Answer] = [], mine: [String: ContentKey] = [:]
        for (position, index) in indices.enumerated() {
            let path = paths[position], draft = drafts[index], folded = SafeName.folded(path)
            let isFree = try await siblings.isFree(
                path, for: draft.asset, with: draft.content, at: target.identity, mine: mine[folded], isHome: isHome)
            if !isFree { return nil }
            mine[folded] = draft.content
            let bytes = draft.bytes(for: target)
            let job = UploadJob(
                asset: draft.asset, file: bytes.file, digests: bytes.digests, path: path, name: draft.asset.origin.name,
                values: TemplateValues(), event: event)
            let answer = try await inquiry.ask(target, path, job)
            if answer == .told(.other) { return nil }
            answers.append(answer)
        }
        return answers
    }

    /// Begins with the name that the shot has, so that a late file joins it, or its tree; else with a fresh number.
    private func begin(_ round: inout NamingRound, _ asset: Asset, in tree: ClipTreeNames.Place?)
        async throws(IngestError)
    {
        if event == DeliveryRow.unassigned, round.namer.usesCounter { return }
        let target = round.target.identity
        if let earlier = try await siblings.shotName(round.shot, at: target, event: event) {
            return round.name = earlier
        }
        if let tree, let name = try await treeName(tree, at: round.target, namer: round.namer) {
            return round.name = name
        }
        guard round.namer.usesCounter else { return }
        let last = try await ledger.counter(at: target, event: event)
        round.name.counter = reservations.number(of: round.shot, at: target, event: event, after: last)
    }

    /// The name that its tree has at the target, from this run or, where a clip was delivered before, from that one.
    private func treeName(
        _ place: ClipTreeNames.Place, at target: PlannedTarget, namer: Namer
    ) async throws(IngestError) -> ShotName? {
        if let name = trees.name(place, at: target.identity) { return name }
        guard let (lead, isRemembered) = trees.lead(place), isRemembered else { return nil }
        let earlier = try await ledger.shotName(NamePlanner.shotKey(lead), at: target.identity, event: event)
        guard let name = earlier ?? (namer.usesCounter ? nil : ShotName(counter: 0, suffix: 1, base: "")) else {
            return nil
        }
        trees.keep(name, place, at: target.identity)
        return name
    }
}
