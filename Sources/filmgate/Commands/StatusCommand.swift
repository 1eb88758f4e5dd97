import ArgumentParser
import FilmgateCore
import FilmgateEngine
import FilmgateLedger
import FilmgateReport

struct StatusCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show where files are: counts by state, queues by target, what failed and why.",
        discussion: """
            EXAMPLE:
              filmgate status --json
              filmgate status --watch
            """)

    @Flag(help: "Keep showing the shoot at a glance; `q` ends it.")
    var watch = false

    @Flag(help: .hidden)
    var board = false

    @OptionGroup var options: CommonOptions

    func run(in invocation: Invocation) async throws {
        if board {
            // Asked for over the control socket, by those who watch.
            guard let job = invocation.job else { throw Exit(.notProven) }
            return invocation.console.out(job.services.liveStatus.now.json.finished)
        }
        let context = try CommandContext(options, invocation)
        let reader = try await context.readLedger(mustExist: true)
        if watch {
            let state = context.state
            var snapshots = StatusReader { () throws(IngestError) in
                try SQLiteLedger.reader(directory: state)
            } live: {
                LiveQuestion.ask(state: state)
            }
            snapshots.holder = { StateHolder(directory: state) }
            var watch = StatusWatch(reader: snapshots, json: options.json, console: context.console)
            throw Exit(try await watch.run())
        }
        let (totals, uses, runs, troubled) = try await context.telling { () async throws(IngestError) in
            let filter = AssetFilter(endings: [.setAside, .pending], limit: 200)
            let troubled = try await WaitingReason.filled(try await reader.assets(filter), reader)
            let totals = try await reader.totals()
            var uses: [TargetUse] = []
            if totals.targets.contains(where: MarksHint.concerns) { uses = try await reader.uses(ofTargets: "") }
            return (totals, uses, try await reader.runs(limit: 50), troubled)
        }
        let holder = StateHolder(directory: context.state)
        let isPaused = holder != nil && LiveQuestion.ask(state: context.state)?.isPaused == true
        if isPaused, !options.json {
            context.console.out("paused: nothing new is taken until `filmgate resume`; deliveries continue")
        }
        if options.json {
            printJSON(totals, runs.first, holder, isPaused, context)
        } else {
            printText(totals, uses, runs, holder, troubled, context)
        }
    }

    private func printJSON(
        _ totals: LedgerTotals, _ last: RunRow?, _ holder: StateHolder?, _ isPaused: Bool, _ context: CommandContext
    ) {
        var line = JSONWriter()
        line.add("type", "status")
        line.add("paused", isPaused)
        var assets = JSONWriter()
        for ending in Ending.allCases { assets.add(ending.rawValue, totals.assets[ending] ?? 0) }
        line.add("assets", assets)
        line.add("unfinished", totals.unfinished)
        line.add("damaged", totals.damaged)
        line.add("targets", objects: totals.targets.map(TargetLine.object))
        if let last { line.add("last_run", RunLine.object(last, holder)) }
        line.add("credits", objects: CreditStore(state: context.state).all().map(\.object))
        context.console.out(line.finished)
    }

    private func printRuns(_ runs: [RunRow], _ holder: StateHolder?, _ console: Console) {
        if let live = runs.dropFirst().first(where: { RunLine.isUnderWay($0, holder) }) {
            console.out(HistoryCommand.text(live, holder))
        }
        let last = runs.first.map { "last run: \(HistoryCommand.text($0, holder))" }
        console.out(last ?? "nothing has been ingested yet")
    }

    /// How files ended, each in the last run that had it; those that a run has now, or had when it broke off, have not.
    private func printAssets(_ totals: LedgerTotals, isUnderWay: Bool, _ console: Console) {
        var counts = Ending.allCases.compactMap { ending in totals.assets[ending].map { "\($0) \(ending.words)" } }
        let unfinished = max(0, totals.unfinished)
        if unfinished > 0 { counts.append("\(unfinished) \(isUnderWay ? "on the way" : "broken off")") }
        let damaged = totals.damaged > 0 ? " (\(totals.damaged) of them damaged)" : ""
        if !counts.isEmpty { console.out("assets\(damaged): " + counts.joined(separator: ", ")) }
        if unfinished > 0, !isUnderWay {
            console.out("  broken off with a run: `filmgate retry` sends what waits, another import reads the rest")
        }
    }

    /// Why copies are not there; where several are, the last word need not be that of the others.
    private static func reasons(_ target: LedgerTotals.Target) -> String {
        var text = ""
        if target.denied > 0, let denial = target.lastDenial {
            let last = target.denied > 1 ? "the last: " : ""
            text +=
                ", \(target.denied) of them not there any more (\(last)\(Describe.name(denial.reason)), heard at \(denial.date))"
        }
        if let reason = target.lastReason {
            let failed = target.states[.failed] ?? 0
            let isMixed = failed > 0 && (target.states[.pending] ?? 0) + (target.states[.held] ?? 0) > 0
            text += " (\(isMixed || failed > 1 ? "the last: " : "")\(Describe.name(reason)))"
        }
        return text
    }

    private func printText(
        _ totals: LedgerTotals, _ uses: [TargetUse], _ runs: [RunRow], _ holder: StateHolder?, _ troubled: [AssetRow],
        _ context: CommandContext
    ) {
        let console = context.console
        printRuns(runs, holder, console)
        printAssets(totals, isUnderWay: holder != nil, console)
        let labels = TargetLabel.all(totals.targets)
        for target in totals.targets {
            let states = [Receipt.State.done, .pending, .held, .failed].compactMap { state in
                target.states[state].flatMap { $0 > 0 ? "\($0) \(state.rawValue)" : nil }
            }
            if states.isEmpty { continue }
            var text = "\(Describe.name(labels[target.identity] ?? target.name)): \(states.joined(separator: ", "))"
            if target.bytesWaiting > 0 {
                text +=
                    ", \(Describe.bytes(target.bytesWaiting)) waiting since \(TargetLine.time(target.oldestWaiting) ?? "–")"
            }
            text += Self.reasons(target)
            console.out(text)
            if MarksHint.concerns(target) { console.out(MarksHint.text(target, uses)) }
            if target.isSuperseded(among: totals.targets) {
                let place = Describe.name(TargetLabel.place(of: target.identity))
                console.out("  ordered there by mistake? `filmgate cancel --target '\(place)'` takes it back")
            }
        }
        for left in CreditStore(state: context.state).all() {
            let expiry = left.nearestExpiry.map { ", the next of them expire \($0)" } ?? ""
            console.out(
                Describe.name(
                    "\(left.name): \(Describe.count(left.balance, "credit")) left, heard at \(left.heardAt)\(expiry)"))
        }
        let groups = ReasonGroups()
        for row in troubled where options.verbose > 0 || groups.names(row.ending?.words ?? "unfinished", row.reason) {
            let reason = row.reason.map { ": " + Describe.name($0) } ?? ""
            console.out("\(row.ending?.words ?? "unfinished"): \(Describe.name(row.origin.absolutePath))\(reason)")
        }
        for line in groups.rest() { console.out(line) }
        let all = (totals.assets[.pending] ?? 0) + (totals.assets[.setAside] ?? 0)
        if all > troubled.count { console.out("and \(Describe.count(all - troubled.count, "more file"))") }
    }
}
