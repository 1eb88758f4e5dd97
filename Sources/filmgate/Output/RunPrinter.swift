import FilmgateCore
import FilmgateEngine
import FilmgateReport
import Synchronization

/// Prints what a run has to say: every asset as JSON, or for people only what they must know of.
final class RunPrinter: Sendable {
    private let json: Bool, plan: Bool, verbose: Int
    private let ledger: any LedgerReader
    private let console: Console
    private let groups = ReasonGroups(), hidden = HiddenPictures()
    /// What was said of each target's hold, and when other trouble was said: several workers meet the same one at once.
    private let told = Mutex<(held: [String: String], troubles: [String: ContinuousClock.Instant])>(([:], [:]))
    /// A plan of files that are on a camera.
    private let listsOnly = Atomic(false)
    /// Pending files, which come last.
    private let late = Mutex<[AssetResult]>([])
    /// Known files that wait for `catchUp`: their receipts are looked up in the ledger.
    private let seen = Mutex<[AssetResult]>([])
    /// Those that are being printed, behind all that came before them.
    private let printing = Mutex<Task<Void, Never>?>(nil)

    /// Whoever asked for the run hears of it, on whatever thread it happens.
    init(_ context: CommandContext, plan: Bool, ledger: any LedgerReader) {
        (json, verbose, console) = (context.options.json, context.options.verbose, context.console)
        (self.plan, self.ledger) = (plan, ledger)
    }

    /// Has the known files printed that have come by now.
    ///
    /// The next ones come meanwhile, and wait only for those before these: at most two lots are in memory.
    @Sendable func catchUp() async {
        let come = seen.withLock { seen in
            defer { seen = [] }
            return seen
        }
        let before = printing.withLock { printing -> Task<Void, Never>? in
            let before = printing
            if come.isEmpty { return before }
            printing = Task {
                await before?.value
                await printSeen(come)
            }
            return before
        }
        await before?.value
    }

    /// Returns once all that has come is printed, also where the run fails afterwards.
    func printed() async {
        await catchUp()
        await printing.withLock { $0 }?.value
    }

    private func printSeen(_ come: [AssetResult]) async {
        let contents = come.map {
            $0.content ?? $0.asset.digests.map { ContentKey(sha256: $0.sha256) } ?? ContentKey(rawValue: "")
        }
        let receipts = (try? await ledger.receipts(of: contents)) ?? []
        var lines: [UInt8] = []
        lines.reserveCapacity(come.count * 1024)
        for (index, var settled) in come.enumerated() {
            if index < receipts.count { fill(&settled, receipts[index]) }
            ItemLine.append(settled, plan: plan, to: &lines)
            lines.append(0x0A)
        }
        console.out(lines: lines)
    }

    @Sendable func note(_ runEvent: RunEvent) {
        switch runEvent {
        case .settled(let settled): settle(settled)
        case .companion(let made): tell(made)
        case .held(let target, let reason):
            if !json, isNew(reason, holding: target) { say("held: \(target): \(reason)") }
        case .released(let target):
            told.withLock { $0.held[target] = nil }
            if !json { say("\(target) takes files again.") }
        case .retrying(let target, let what, let reason, let delay):
            if verbose > 0, !json {
                say("retry: \(target): \(what): \(reason) (in \(Describe.duration(delay.inSeconds)))")
            }
        case .trouble(let error): if isNew(error) { console.tell(error, json: json) }
        case .waiting(let reason): if isNew(reason) { tell(waitingFor: reason) }
        case .source(let place, let state): tell(place, state)
        case .takenElsewhere(let place, let word, let files): tell(CardLine(place: place, word: word, files: files))
        case .listed, .started, .read, .queue, .delivered, .device, .refused: break
        }
    }

    private func isNew(_ reason: String, holding target: String) -> Bool {
        told.withLock { $0.held.updateValue(reason, forKey: target) != reason }
    }

    /// The same trouble is told again when a minute has gone by.
    private func isNew(_ error: IngestError) -> Bool {
        let now = ContinuousClock.now
        return told.withLock { told in
            told.troubles = told.troubles.filter { now - $0.value < .seconds(60) }
            return told.troubles.updateValue(now, forKey: error.description) == nil
        }
    }

    private func settle(_ settled: AssetResult) {
        hidden.note(settled)
        if json {
            switch settled.ending {
            case .alreadySeen where !settled.isOfOtherEvent: seen.withLock { $0.append(settled) }
            case .pending: late.withLock { $0.append(settled) }
            default: console.out(ItemLine.text(settled, plan: plan))
            }
            // What nobody takes is for people, too: a program seldom looks for it.
            if settled.isOfUnknownKind { groups.unknown(settled.asset.origin.path) }
            return
        }
        // Of these nothing is said, and a card may have tens of thousands.
        if settled.ending == .alreadySeen, !settled.isOfOtherEvent { return }
        let path = Describe.name(settled.asset.origin.path)
        let reason = settled.reason.map { ": " + Describe.name($0) } ?? ""
        if settled.isDamaged, verbose > 0 || groups.names("damaged", Self.damage) {
            say("damaged: \(path): \(Self.damage)")
        }
        switch settled.ending {
        case .alreadySeen: if names("left", settled) { say("left: \(path)\(reason)") }
        case .setAside: if names("set aside", settled) { say("set aside: \(path)\(reason)") }
        case .pending:
            if plan { for line in delivered(settled) { say(line) } }
            late.withLock { $0.append(settled) }
        case .duplicate where verbose == 0 && settled.reason != nil: say("note: \(path)\(reason)")
        case .filtered where verbose > 0, .duplicate where verbose > 0:
            say("\(settled.ending.rawValue): \(path)\(reason)")
        case .filtered: if settled.isOfUnknownKind { groups.unknown(settled.asset.origin.path) }
        case .delivered where settled.reason == AssetResult.onlyListed:
            say("would fetch: \(path) (\(Describe.bytes(settled.asset.origin.size)))")
            listsOnly.store(true, ordering: .relaxed)
        case .delivered:
            if settled.reason != nil { say("note: \(path)\(reason)") }
            if plan || verbose > 0 { for line in delivered(settled) { say(line) } }
        default: break
        }
    }

    private static let damage = "it is incomplete at its source, too; it is delivered as it is"

    private func names(_ word: String, _ settled: AssetResult) -> Bool {
        verbose > 0 || groups.names(word, settled.reason)
    }

    /// A sidecar that was made: no item of the source, so a line of its own type.
    private func tell(_ made: AssetResult) {
        if json { return console.out(ItemLine.text(made, plan: plan, type: "made")) }
        let reason = made.reason.map { ": " + Describe.name($0) } ?? ""
        switch made.ending {
        case .setAside, .pending:
            say(
                "\(made.ending == .pending ? "pending" : "set aside"): \(Describe.name(made.asset.origin.path))\(reason)"
            )
        case .delivered where plan || verbose > 0: for line in delivered(made) { say(line) }
        default: break
        }
    }

    private func tell(_ place: SourcePlace, _ state: SourceState) {
        if json { return console.out(SourceLine.json(place, state)) }
        if let line = SourceLine.human(place, state) { say(line) }
    }

    private func tell(_ card: CardLine) {
        if json { console.out(card.json) } else { say(card.human()) }
    }

    private func delivered(_ settled: AssetResult) -> [String] {
        let path = Describe.name(settled.asset.origin.path)
        return settled.asset.receipts.sorted { $0.key < $1.key }.filter { $0.value.state == .done }.map {
            name, receipt in
            let place = (receipt.path ?? receipt.url ?? receipt.id).map { " " + Describe.name($0) } ?? ""
            // What the target has from before is no delivery of this run.
            let word = receipt.existed ? "already there" : plan ? "would deliver" : "delivered"
            return "\(word): \(path) → \(name)\(place)"
        }
    }

    /// On stderr, also for JSON: it is no result, and a person may be able to do something about it.
    private func tell(waitingFor reason: IngestError) {
        console.err((console.redrawsStderr ? "\r\u{1B}[K" : "") + "waiting: " + Describe.name(reason.message))
        if let advice = reason.advice { console.err("  → " + Describe.name(advice)) }
    }

    private func say(_ line: String) {
        if plan { console.out(line) } else { console.err(console.redrawsStderr ? "\r\u{1B}[K" + line : line) }
    }

    /// What was pending before a reload is not pending any more, or will be said again.
    func forgetPending() { late.withLock { $0 = [] } }

    /// What was kept for the end: what is pending.
    func finish(_ outcome: RunOutcome) async {
        await printed()
        let kept = late.withLock { kept in
            defer { kept = [] }
            return kept
        }
        // Cards have files of equal names.
        let isOneRoot = Set(kept.map(\.asset.origin.root)).count == 1
        for settled in kept {
            if json {
                console.out(ItemLine.text(settled, plan: plan))
            } else if names("pending", settled) {
                let path = isOneRoot ? settled.asset.origin.path : settled.asset.origin.absolutePath
                say("pending: \(Describe.name(path))\(settled.reason.map { ": " + Describe.name($0) } ?? "")")
            }
        }
        // Whoever ends it wants the end now.
        let left = outcome.signal == nil ? await hidden.remarks() : []
        for line in groups.rest() + left { if json { console.err(line) } else { say(line) } }
        if listsOnly.load(ordering: .relaxed) {
            say(
                "A camera's files are only listed in a plan: where each one goes, and whether it is a duplicate, shows when it is read."
            )
        }
    }

    /// A known file's receipts and twin: where its bytes are.
    private func fill(_ settled: inout AssetResult, _ receipts: [NamedReceipt]) {
        for one in receipts { settled.asset.receipts[one.target] = one.receipt }
        settled.twin =
            settled.twin
            ?? receipts.lazy.map(\.receipt).filter { $0.state == .done }.compactMap { $0.path ?? $0.url ?? $0.id }.first
    }
}
