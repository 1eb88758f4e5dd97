import FilmgateCore

/// Decides, shot by shot in card order, which target gets what under which name.
struct NamePlanner: Sendable {
    let ledger: any LedgerReader
    let targets: [PlannedTarget]
    let profiles: ProfileSet
    let reservations: NameReservations
    let event: String?
    /// False where the event was only chosen: it gets what comes new, and nothing that a target has without an event.
    var isEventOrdered = true
    let photographer: String?
    let again: Bool
    let volumeLabel: String
    let bodies: BodySerials
    let trees: ClipTreeNames
    /// Told of each copy that keeps a file from being delivered.
    var copies: ReadCopies?
    /// What targets get where no profile says otherwise.
    var rules: [String: DeliveryRule] = [:]
    /// What holds for all targets, where frames wait for marks.
    var awaits: [MarkRule] = []
    /// What this station is called.
    var station = ""
    /// Some target is one that several stations deliver to.
    var isSharing = false
    /// Of the run: no target is waited for any longer once it is set.
    var stopping = CancelToken()

    private var names: NameChooser {
        NameChooser(
            ledger: ledger, reservations: reservations, trees: trees, event: event, again: again, stopping: stopping)
    }

    /// One asset with its names: its deliveries, and those of them that must be sent.
    struct PlannedAsset: Sendable {
        var assetDeliveries: AssetDeliveries
        var deliveries: [Delivery]
        /// What waits for the same event at targets that are not at hand.
        var elsewhere: [UnreachableAssignment] = []
        /// Another rating of its shot would bring it to a target that it is kept from now.
        var awaitsRating = false
        var isMade: Bool { assetDeliveries.asset.flags.contains(AssetFlag.made) }
    }

    /// Decides for each of a shot's assets which targets get it, and under which names; nothing is sent here.
    ///
    /// `assets`: with the names of the targets that the stages chose. `lead` is what is known of the primary, read now
    /// or remembered; `standing` what all files of the shot say together; `budget` the bytes that each asset occupies
    /// in the spool.
    func place(
        _ assets: [(asset: Asset, to: [String])], lead: Asset?, standing: ShotStanding = ShotStanding(),
        budget: [AssetID: UInt64]
    ) async throws(IngestError) -> [PlannedAsset] {
        let tree = assets.first.flatMap { ClipTreeNames.Place($0.asset.origin, $0.asset.shot) }
        let speaker = treeLead(tree, lead)
        let facts = speaker?.media ?? MediaFacts()
        bodies.note(facts)
        let profile = try await bodies.resolve(facts, speaker?.kind ?? .other, profiles, ledger)
        var drafts: [Draft] = []
        for (asset, names) in assets {
            var names = names
            if asset.flags.contains(AssetFlag.made) {
                names = names.filter { isSent(lead, to: $0, drafts) }
                if names.isEmpty {
                    asset.file?.discard()
                    continue
                }
            }
            var own = speaker?.id == lead?.id ? asset : Inheritance.apply(from: facts, to: asset)
            if lead?.kind.follows != false { own.joinTree(of: speaker) }
            let frame = FrameFacts(of: own, lead: speaker, standing, profile)
            var draft = try await draft(own, as: frame, to: names, profile: profile, lead: lead)
            for target in draft.wanted { gate(&draft, at: target, standing, profile, lead) }
            drafts.append(draft)
        }
        let values = shotValues(profile)
        let first = lead.map { NamingPrimary($0, among: drafts, profile: profile) }
        // What goes on under an earlier name asks about it together with its shot.
        for index in drafts.indices where !drafts[index].names.isEmpty {
            let shot = NameChooser.shotKey(drafts, first)
            for name in drafts[index].names.keys { drafts[index].names[name]?.shot = shot }
        }
        let isNamed = drafts.allSatisfy(\.unnamed.isEmpty)
        let home: TemplateValues? = if let tree, !isNamed { try await treeValues(tree) } else { nil }
        let basis = NameChooser.Basis(values: values, lead: first, profile: profile, home: home)
        for target in targets { try await names.name(&drafts, at: target, by: basis) }
        for draft in drafts where draft.isLeftOut { draft.file.discard() }
        drafts.removeAll(where: \.isLeftOut)
        let planned = drafts.map {
            $0.planned(budget: budget[$0.asset.id] ?? 0, event: event, values: values, lead: lead)
        }
        return isSharing ? Self.led(planned, by: lead) : planned
    }

    /// The files of a shot that go where its primary goes, each with the primary's content.
    private static func led(_ planned: [PlannedAsset], by lead: Asset?) -> [PlannedAsset] {
        guard let first = planned.first(where: { $0.assetDeliveries.asset.id == lead?.id }), planned.count > 1 else {
            return planned
        }
        // What waits for a mark may never be sent.
        let targets = Set(first.deliveries.filter { $0.gate == nil }.map(\.id.target))
        return planned.map { one in
            guard one.assetDeliveries.asset.id != lead?.id else { return one }
            var one = one
            for index in one.deliveries.indices where targets.contains(one.deliveries[index].id.target) {
                one.deliveries[index].lead = first.assetDeliveries.content
            }
            return one
        }
    }

    func shotValues(_ profile: ResolvedProfile) -> ShotValues {
        let named = event == DeliveryRow.unassigned ? NameSlot.event : event
        return ShotValues(
            event: named, photographer: photographer, profile: profile, volumeLabel: volumeLabel, station: station)
    }

    /// Who decides for a shot: its primary; for what belongs to no clip of its tree, such as an index, the tree's clip.
    private func treeLead(_ tree: ClipTreeNames.Place?, _ lead: Asset?) -> Asset? {
        guard let tree else { return lead }
        trees.begin(tree, lead)
        return lead?.kind.follows == false ? lead : trees.lead(tree)?.asset ?? lead
    }

    /// True when the frame itself is new to that target: what is made to lie beside it is made once, and never for a
    /// copy of long ago.
    private func isSent(_ lead: Asset?, to name: String, _ drafts: [Draft]) -> Bool {
        guard let draft = drafts.first(where: { $0.asset.id == lead?.id }),
            let target = draft.wanted.first(where: { $0.name == name })
        else { return false }
        return draft.receipts[name] == nil && draft.rechecks[name] == nil
            && !reservations.isPromised(draft.content, at: target.identity)
    }

    /// The identity of a shot across runs: the card may be formatted and its counter start again, so the capture time
    /// is part of it.
    static func shotKey(_ asset: Asset) -> String {
        "\(asset.origin.volume)\u{1F}\(asset.shot.key)\u{1F}\(asset.media?.captured?.description ?? "")"
    }

    /// The part of that which all shots of one place and stem share.
    static func shotPlace(_ shot: String) -> String {
        shot.utf8.lastIndex(of: 0x1F).map { String(shot[...$0]) } ?? shot
    }

    private func draft(
        _ asset: Asset, as frame: FrameFacts, to names: [String], profile: ResolvedProfile, lead: Asset?
    ) async throws(IngestError) -> Draft {
        guard let file = asset.file, let digests = asset.digests else {
            throw IngestError(.unexpected, "\(asset.origin.absolutePath) reached the targets without its bytes.")
        }
        let content = asset.content(beside: lead) ?? ContentKey(sha256: digests.sha256)
        var draft = Draft(asset: asset, content: content, file: file, digests: digests)
        draft.captured = CaptureTime.corrected(asset, profile: profile)
        draft.photographer = photographer ?? profile.photographer ?? asset.media?.owner ?? lead?.media?.owner
        let rows = try await deliveries(of: content, asset, to: names)
        for target in targets where names.contains(target.name) {
            let share = profile.share(of: target.name, rules)
            if case .refuses(let reason) = share.decision(on: frame, for: target.name) {
                draft.receipts[target.name] = Receipt(state: .excluded, reason: reason)
                draft.awaitsRating = draft.awaitsRating || share.awaitsRating(frame, for: target.name)
                continue
            }
            if let refusal = target.refusal(of: asset) {
                draft.receipts[target.name] = Receipt(state: .excluded, reason: refusal)
                continue
            }
            let row = row(of: target, among: rows)
            if let row, row.isCancelled, !again {
                draft.receipts[target.name] = Receipt(state: .excluded, reason: row.receipt.reason)
                continue
            }
            if let row, row.target != target.identity, !row.isCancelled {
                draft.given.append(row)
                if event != nil { draft.asset.flags.insert(AssetFlag.otherEvent) }
                continue
            }
            draft.wanted.append(target)
            if let row, row.receipt.state == .done, !again { copies?.note(row) }
            draft.add(row, for: target, again: again, event: event)
            if event != DeliveryRow.unassigned {
                draft.replace(rows.first { $0.isUnassigned && target.isHeir(of: $0, for: event) }, for: target)
            }
        }
        draft.twin = asset.twin
        let receipts = Array(draft.receipts.values) + draft.given.map(\.receipt)
        if draft.twin == nil, receipts.contains(where: { $0.state == .done }) {
            // Delivered for another file since the stages asked.
            let twin = try await ledger.twin(of: content)
            draft.twin = twin == asset.origin.absolutePath ? nil : twin
        }
        return draft
    }

    /// Notes for which marks it waits there, or would wait if somebody took one back.
    ///
    /// A sidecar or memo waits for its shot's picture.
    private func gate(
        _ draft: inout Draft, at target: PlannedTarget, _ standing: ShotStanding, _ profile: ResolvedProfile,
        _ lead: Asset?
    ) {
        let rules = (awaits + [profile.share(of: target.name, self.rules).marks]).filter(\.waits)
        guard !rules.isEmpty else { return }
        let picture = draft.asset.kind.follows ? lead?.digests?.sha256 : nil
        draft.gates[target.name] = MarkGate(rules, sha256: picture ?? draft.digests.sha256, camera: standing.fileRating)
        draft.mark = standing.mark
    }

    /// The target's own; without an event, what it has or will get for some event is not sent there once more, and
    /// nobody needs to say one again: that could be another.
    ///
    /// An event that was only chosen orders nothing of what it has or will get without one.
    private func row(of target: PlannedTarget, among rows: [DeliveryRow]) -> DeliveryRow? {
        if let own = rows.first(where: { $0.target == target.identity }) { return own }
        guard event == nil || event == DeliveryRow.unassigned else {
            let heirs = rows.filter { target.isHeir(of: $0, for: event) }
            // What was taken back before its event was known stays so.
            if let takenBack = heirs.first(where: { $0.isUnassigned && $0.isCancelled }) { return takenBack }
            if isEventOrdered { return nil }
            return heirs.first { row in
                // What is not there any more is brought back for the event that counts now.
                if again, row.isMissing || row.denial != nil { return false }
                return row.event == nil && (row.isCancelled || row.receipt.state != .excluded)
            }
        }
        let given = rows.filter { row in
            // What was taken back there, or never meant for it, says nothing of a run that asks for no event.
            if event == nil, row.isCancelled || row.receipt.state == .excluded { return false }
            return target.isPlace(of: row)
        }
        return given.first { $0.receipt.state == .done } ?? given.first
    }

    /// That a stage found all deliveries done is still true; that it found fewer may be out of date: other shots have
    /// been delivered since.
    private func deliveries(of content: ContentKey, _ asset: Asset, to names: [String]) async throws(IngestError)
        -> [DeliveryRow]
    {
        let earlier = asset.earlier ?? [], done = Set(earlier.filter { $0.receipt.state == .done }.map(\.target))
        let wanted = targets.filter { names.contains($0.name) }
        if !earlier.isEmpty, wanted.allSatisfy({ done.contains($0.identity) }) { return earlier }
        return try await ledger.deliveries(of: content)
    }
}
