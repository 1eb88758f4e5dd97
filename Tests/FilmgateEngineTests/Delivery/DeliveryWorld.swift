import FilmgateCore

@testable import FilmgateEngine

/// One run of a table of deliveries: random things happen to it, and what it wants done is done at random times.
struct DeliveryWorld {
    static let backoff = Backoff(first: .seconds(1), cap: .seconds(30))

    var dice: SeededRandomNumbers
    var table: DeliveryTable
    var model = DeliveryModel()
    var steps = 0
    /// What happened, for whoever wants to know why it ended badly.
    var story: [String] = []
    var now = Moment(instant: .now, wall: 1)
    var fresh = 0

    // What was begun and is not done yet.
    var attempts: [Delivery] = [], questions: [[Delivery]] = []
    var records: [(changes: [LedgerChange], step: DeliveryStep?)] = []
    var timers: [(time: ContinuousClock.Instant, event: DeliveryEvent)] = []
    var followed: [Delivery.ID] = []
    /// Targets that refused us, and nobody has tried again since.
    var refused: Set<String> = []
    /// Targets that refused a delivery and have taken none since: one refusal may be about one file, a second is not.
    var doubted: Set<String> = []
    /// What each file holds.
    var contents: [AssetID: ContentKey] = [:]
    /// What marks say of each that is ours and waits for them.
    var verdicts: [Delivery.ID: MarkVerdict] = [:]
    var isStopped = false, isWindingDown = false
    /// Deliveries whose names were asked about: those are finished, whatever comes between.
    var begun: Set<Delivery.ID> = []
    /// Staged files that are gone, and bytes of the budget that are not given back.
    var gone: Set<String> = [], taken: UInt64 = 0
    /// How well the targets work, in percent; and whether the ledger answers.
    var health = 80, isLedgerSlow = false

    init(_ seed: UInt64) {
        dice = SeededRandomNumbers(seed)
        table = DeliveryTable(Self.targets, run: 1, event: nil, backoff: Self.backoff, at: now)
    }

    mutating func tell(_ words: String) { story.append(words) }
    mutating func chance(_ percent: Int) -> Bool { dice.below(100) < percent }

    mutating func handle(_ event: DeliveryEvent) {
        steps += 1
        for action in table.handle(event, at: now) { perform(action) }
    }

    // MARK: What the table wants done

    mutating func perform(_ action: DeliveryAction) {
        switch action {
        case .send(let delivery): begin(delivery)
        case .findNames(let group): ask(group)
        case .record(let changes, let step): records.append((changes, step))
        case .wait(let time, let event): timers.append((time, event))
        case .follow(let delivery, let isNew):
            model.expect(isNew != followed.contains(delivery.id), "\(delivery.id) is followed twice, or not at all")
            if isNew { followed.append(delivery.id) }
        case .release(let delivery, let receipt):
            model.release(delivery.id, receipt)
            model.expect(!attempts.contains { $0.id == delivery.id }, "\(delivery.id) is released while it is sent")
        case .settle(let asset): settle(asset)
        case .keepRendition(let file, let id, let receipt): handle(.kept(id, rendition: file, receipt))
        case .discard(let file, let path): if file.ownership == .staged, file.path != path { remove(file.path) }
        case .giveBack(let bytes): giveBack(bytes)
        case .rename, .keep, .discardSpooled, .tell, .noteHeld, .tellHeld, .noteAnswer, .noteMismatch: break
        case .noteWaiting(let id, let reason):
            if reason != nil { model.expect(verdicts[id]?.waiting == reason, "\(id) waits for no mark") }
        }
    }

    mutating func begin(_ delivery: Delivery) {
        let id = delivery.id, file = delivery.job.file
        tell("  send \(id.content.rawValue) to \(id.target)")
        model.send(delivery)
        model.expect(verdicts[id] ?? .takes == .takes, "\(id) is sent though it waits for a mark")
        let wasBegun = begun.remove(id) != nil
        model.expect(
            !isStopped && (!isWindingDown || delivery.target.isLocal || wasBegun), "\(id) is sent after the stop")
        model.expect(!refused.contains(id.target) || wasBegun, "\(id) is sent to a target that is held")
        model.expect(!attempts.contains { $0.id == id }, "\(id) is sent twice at once")
        model.expect(!gone.contains(file.path), "\(id) is sent from a file that is gone")
        let isAlone = attempts.allSatisfy { $0.job.file.path != file.path || !$0.job.mayTake && !delivery.job.mayTake }
        model.expect(isAlone, "\(id) is sent from a file that another delivery may take away")
        attempts.append(delivery)
        let busy = attempts.count { $0.id.target == id.target }
        model.expect(busy <= delivery.target.parallel, "\(busy) at once are sent to \(id.target)")
    }

    mutating func ask(_ group: [Delivery]) {
        let shot = group.first?.shotKey ?? ""
        tell("  ask for \(group.map(\.job.path)) at \(group.first?.id.target ?? "nothing")")
        model.expect(
            !group.isEmpty && group.allSatisfy { $0.isUnasked && $0.shotKey == shot }, "not one shot is asked about")
        model.expect(!questions.contains { $0.first?.shotKey == shot }, "one shot is asked about twice")
        questions.append(group)
    }

    mutating func settle(_ asset: AssetDeliveries) {
        tell("  \(asset.asset.origin.name) ends as \(asset.ending)")
        model.settle(asset)
        giveBack(asset.budget)
        let isOver = asset.ending != .setAside && asset.ending != .pending
        if !asset.hasDeliveries || isOver, asset.bytes.ownership == .staged { remove(asset.bytes.path) }
        if let obsolete = asset.obsolete { remove(obsolete.path) }
    }

    mutating func remove(_ path: String) {
        gone.insert(path)
        model.expect(attempts.allSatisfy { $0.job.file.path != path }, "\(path) is removed while it is read")
    }

    mutating func giveBack(_ bytes: UInt64) {
        model.expect(bytes <= taken, "more is given back than was taken")
        taken -= min(bytes, taken)
    }

    // MARK: What happens

    /// Something that may happen at any time.
    mutating func step() {
        switch dice.below(100) {
        case 0..<22: submit()
        case 22..<52: finishAttempt(well: health)
        case 52..<58: answerQuestion(well: health)
        case 58..<82: if !isLedgerSlow { commit(atMost: 1 + dice.below(6)) }
        case 82..<89: pass(.milliseconds(dice.below(3000)))
        case 89: pass(.seconds(60))
        case 90..<92: hear()
        case 92: tryNow()
        case 93..<96: cancel()
        case 96: cede()
        case 97: judge()
        case 98: (health, isLedgerSlow) = ([10, 50, 80, 98][dice.below(4)], chance(30))
        default: finishAttempt(well: 100)
        }
    }

    mutating func submit() {
        guard fresh < Self.assets.count, !isStopped else { return }
        var asset = Self.assets[fresh]
        fresh += 1
        if chance(5) { asset.flags.insert(AssetFlag.made) }
        // One in four has the bytes of an earlier file.
        let content = ContentKey(rawValue: "c\(chance(25) ? dice.below(fresh) : fresh)")
        submit(asset, content, isRecorded: chance(15))
    }

    mutating func submit(_ asset: Asset, _ content: ContentKey, isRecorded: Bool) {
        let path = "/spool/\(asset.origin.name).\(steps).part"
        let bytes = LocalFile(path: path, size: asset.origin.size, ownership: .staged)
        let wanted = Self.targets.filter { _ in chance(60) }
        var file = AssetDeliveries(
            asset: asset, content: content, wanted: wanted, bytes: bytes, shot: ShotFacts(), budget: asset.origin.size)
        file.isRecorded = isRecorded
        for target in wanted {
            let id = Delivery.ID(content: content, target: target.identity)
            guard let row = model.rows[id], row.receipt.state == .done else { continue }
            if model.leases[id] == nil {
                file.adopt(row.receipt, at: target.identity, twin: nil)
            }
        }
        tell("submit \(asset.origin.name) with \(content.rawValue) for \(wanted.map(\.name))")
        contents[asset.id] = content
        model.add(asset.id, isRecorded: isRecorded, budget: file.budget, known: file.receipts)
        taken += file.budget
        var claims: [Delivery.ID: DeliveryClaim] = [:], deliveries: [Delivery] = []
        for target in wanted where file.receipts[target.identity] == nil {
            let delivery = Self.delivery(of: asset, content, bytes, to: target, &dice)
            deliveries.append(delivery)
            if table[delivery.id] == nil {
                claims[delivery.id] = claim(delivery.id, for: asset.id)
                verdicts[delivery.id] = delivery.verdict
            } else {
                model.need(delivery.id, for: asset.id)
            }
        }
        let isShared = isRecorded && deliveries.contains { followed.contains($0.id) || model.others[$0.id] != nil }
        handle(.submitted(file, deliveries, claims: claims, isShared: isShared))
    }

    /// Whose a delivery is that the table does not have.
    mutating func claim(_ id: Delivery.ID, for file: AssetID) -> DeliveryClaim {
        if model.others[id] != nil || chance(6) {
            model.follow(id, for: file)
            return .anothers
        }
        model.need(id, for: file)
        return .ours
    }

    mutating func finishAttempt(well percent: Int) {
        if attempts.isEmpty { return }
        let delivery = attempts.remove(at: dice.below(attempts.count)), id = delivery.id
        if chance(4) { return withhold(id) }
        if chance(percent) {
            let isTaken = delivery.job.mayTake && delivery.target.isLocal
            let path = delivery.target.traits.localRoot.map { "\($0)/\(delivery.job.path)" }
            let receipt = Receipt(state: .done, path: path, id: delivery.job.name)
            if isTaken { gone.insert(delivery.job.file.path) }
            doubted.remove(id.target)
            tell("\(id.target) has \(id.content.rawValue)")
            model.answer(id, .success(receipt))
            return handle(.delivered(id, DeliveryAttempt.Delivered(receipt: receipt)))
        }
        let error = Self.failure(&dice)
        tell("\(id.target) says \(error.code.rawValue) to \(id.content.rawValue)")
        model.answer(id, .failure(error))
        fail(.failed(id, DeliveryFailure(error, moved: nil, jitter: 0.5)), error, at: id.target)
    }

    /// The table may leave it at one delivery that is refused, where its target has taken another since it refused
    /// last; else nothing more is sent there.
    mutating func fail(_ event: DeliveryEvent, _ error: IngestError, at target: String) {
        guard [.renewThenHold, .pauseTarget, .stop].contains(error.code.disposition) else { return handle(event) }
        var trial = table
        _ = trial.handle(event, at: now)
        if error.code != .unauthorized || trial.queues[target]?.held != nil {
            refused.insert(target)
        } else {
            let isFolder = Self.targets.contains { $0.identity == target && $0.isLocal }
            model.expect(!isFolder, "\(target) is a folder that refuses, and is not held")
            model.expect(!doubted.contains(target), "\(target) refused twice, and is not held")
        }
        if trial.queues[target]?.doubted != nil { doubted.insert(target) }
        handle(event)
    }

    /// Another station has it.
    mutating func withhold(_ id: Delivery.ID) {
        tell("\(id.content.rawValue) for \(id.target) is withheld")
        let state: Receipt.State = chance(50) ? .pending : .held
        handle(.withheld(id, WithheldDelivery(state, "desk-3 has it", again: .seconds(1 + dice.below(20)))))
    }

    mutating func answerQuestion(well percent: Int) {
        if questions.isEmpty { return }
        let group = questions.remove(at: dice.below(questions.count)), shot = group.first?.shotKey ?? ""
        guard chance(percent) else {
            let error = chance(70) ? IngestError(.network, "no") : IngestError(.unauthorized, "no")
            tell("no names: \(error.code.rawValue)")
            let event = DeliveryEvent.unnamed(shot: shot, DeliveryFailure(error, moved: nil, jitter: 0.5))
            return fail(event, error, at: group.first?.id.target ?? "")
        }
        // Of files that would have one name the first goes first.
        let named = chance(30) ? Array(group.prefix(1)) : group
        tell("names for \(named.map(\.job.path))")
        finishNaming(of: shot)
        handle(
            .named(
                shot: shot,
                named.map { one in
                    var one = one
                    one.job.path += "-2"
                    return one
                }))
    }

    mutating func commit(atMost count: Int) {
        let written = records.prefix(count)
        records.removeFirst(written.count)
        for one in written { model.commit(one.changes) }
        for step in written.compactMap(\.step) {
            if case .send(let shot, _) = step { finishNaming(of: shot) }
            handle(.recorded(step))
        }
    }

    mutating func finishNaming(of shot: String) {
        for delivery in table.queues.all.values where delivery.shotKey == shot {
            if case .naming = delivery.state { begun.insert(delivery.id) }
        }
    }

    mutating func pass(_ time: Duration) {
        now.instant += time
        let due = timers.filter { $0.time <= now.instant }.sorted { $0.time < $1.time }
        timers.removeAll { $0.time <= now.instant }
        for timer in due {
            if case .probeDue(let target) = timer.event, !isStopped, !isWindingDown { refused.remove(target) }
            tell("\(timer.event)")
            handle(timer.event)
        }
    }

    mutating func tryNow() {
        if !isStopped, !isWindingDown { refused = [] }
        tell("try now")
        handle(.tryNow(nil))
    }

    mutating func hear() {
        if followed.isEmpty { return }
        let id = followed.remove(at: dice.below(followed.count))
        let states: [Receipt.State?] = [.done, .done, .failed, nil]
        let receipt = states[dice.below(4)].map { Receipt(state: $0, path: "/elsewhere") }
        tell("the other one has \(id.content.rawValue) for \(id.target): \(receipt?.state.rawValue ?? "given up")")
        model.hear(id, receipt)
        handle(.heard(id, receipt))
    }

    mutating func anyone() -> Delivery.ID {
        let content = ContentKey(rawValue: "c\(max(0, fresh - dice.below(30)))")
        return Delivery.ID(content: content, target: Self.targets[dice.below(4)].identity)
    }

    mutating func cancel() {
        let id = anyone()
        guard table[id]?.canBeCancelled == true else { return }
        let keeping = Set(table.lastCopies(of: id).map(\.id))
        tell("cancel \(id.content.rawValue) for \(id.target)")
        model.end(id, Receipt(state: .excluded))
        handle(.cancelled(id, keeping: keeping))
    }

    /// Somebody marks a picture, or takes a mark back.
    mutating func judge() {
        let waiting = table.queues.all.values.filter { $0.gate != nil && !$0.isSettled }
        let gated = waiting.map(\.id).sorted { "\($0)" < "\($1)" }
        guard !gated.isEmpty else { return }
        let id = gated[dice.below(gated.count)]
        let possible = [MarkVerdict.takes, .takes, .waits(MarkRule.notPicked), .refuses(MarkRule.rejected)]
        var verdict = possible[dice.below(4)]
        // Of what is under way the table hears again when it comes back.
        if case .refuses = verdict, table[id]?.canBeCancelled != true { verdict = .takes }
        tell("\(id.content.rawValue) for \(id.target) is judged: \(verdict)")
        verdicts[id] = verdict
        if case .refuses = verdict { model.end(id, Receipt(state: .excluded)) }
        handle(.judged([(id, verdict)]))
    }

    mutating func cede() {
        let id = anyone()
        guard table[id]?.isWaiting == true else { return }
        tell("cede \(id.content.rawValue) for \(id.target)")
        let new = Delivery.ID(content: id.content, target: id.target + ":e")
        model.cede(id, to: new)
        handle(.ceded(id, to: new))
    }
}
