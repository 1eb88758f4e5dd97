import FilmgateCore
import FilmgateLedger
import Foundation
import Synchronization

@testable import FilmgateEngine

/// Sources, a gallery and a ledger in memory, and a clock that stands still: whole runs without a process, a card or a
/// sleep.
final class RunWorld: Sendable {
    /// Hands everything to the gallery.
    private struct Delivering: Stage {
        let whenRead: @Sendable (String) -> Void
        var traits: StageTraits { StageTraits(deliversTo: ["gallery"], recognises: true) }
        func process(_ asset: Asset, of shot: Shot) async throws(IngestError) -> Verdict {
            whenRead(asset.origin.path)
            return .deliver(asset, to: ["gallery"])
        }
    }

    let clock = ManualClock(), ledger: SQLiteLedger, gallery = FilesAtTarget("gallery", isFolder: false)
    let leases = DeliveryLeases()
    private let state =
        FileManager.default.temporaryDirectory.path + "/filmgate-run-\(UInt64.random(in: 0...UInt64.max))"
    private let log = RunLog()

    init() throws { ledger = try SQLiteLedger.inMemory() }

    deinit { try? FileManager.default.removeItem(atPath: state) }

    /// What was said so far, over all runs.
    var said: [String] { log.lines.withLock(\.self) }
    /// How the file ended that lies there, below `DCIM`.
    func result(_ path: String) -> AssetResult? { log.results.withLock { $0["DCIM/" + path] } }
    /// Returns once that has been said.
    func hears(_ line: String) async { await log.hears(line) }

    /// `whenRead` is called with the path of each file that has been read.
    func plan(
        _ sources: [any SourceDriver], spool: UInt64 = 1 << 20, target: (any UploadTarget)? = nil,
        whenRead: @escaping @Sendable (String) -> Void = { _ in }
    ) -> Plan {
        let sent = target ?? gallery.planned(nil, "{name}").target
        return Plan(
            sources: sources, stages: [Delivering(whenRead: whenRead)], targets: [("gallery", sent)],
            profiles: ProfileSet(), spool: spool, clock: clock)
    }

    /// `writer`: in place of the ledger, for what it cannot be told.
    func runner(
        _ plan: Plan, verb: String = "import", writer: (any Ledger)? = nil,
        _ change: (inout RunOptions) -> Void = { _ in }, buildPlan: Runner.BuildPlan? = nil
    ) -> Runner {
        let written: any Ledger = writer ?? ledger
        var options = RunOptions(verb: verb, state: state)
        change(&options)
        let hub = EventHub()
        hub.watch(log.note)
        return Runner(
            plan: plan, options: options, hub: hub, reader: ledger, writer: options.dryRun ? nil : written,
            leases: leases, clock: clock, buildPlan: buildPlan)
    }

    func runner(
        _ sources: any SourceDriver..., verb: String = "import", _ change: (inout RunOptions) -> Void = { _ in }
    ) -> Runner {
        runner(plan(sources), verb: verb, change)
    }

    /// What lies at the gallery, by name.
    var delivered: [String] { gallery.state.withLock { $0.files.values.map(\.path).sorted() } }
    func shut(_ isDown: Bool) { gallery.state.withLock { $0.isDown = isDown } }

    /// Bytes that wait in the spool.
    var spooled: [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: state + "/staging")) ?? []
        return files.filter { !$0.hasSuffix(".lock") }
    }
}

/// What a run says, in a line each.
final class RunLog: Sendable {
    let lines = Mutex<[String]>([]), results = Mutex<[String: AssetResult]>([:])
    private let waiting = Mutex<[(line: String, end: AsyncStream<Never>.Continuation)]>([])

    @Sendable func note(_ event: RunEvent) {
        if case .settled(let settled) = event { results.withLock { $0[settled.asset.origin.path] = settled } }
        guard let line = Self.line(event) else { return }
        lines.withLock { $0.append(line) }
        end(line)
    }

    /// Also returns in a cancelled task: a test whose time is over must end.
    func hears(_ line: String) async {
        let (ends, end) = AsyncStream<Never>.makeStream()
        waiting.withLock { $0.append((line, end)) }
        if lines.withLock({ $0.contains(line) }) { self.end(line) }
        for await _ in ends {}
    }

    private func end(_ line: String) {
        let heard = waiting.withLock { waiting in
            defer { waiting.removeAll { $0.line == line } }
            return waiting.filter { $0.line == line }
        }
        for one in heard { one.end.finish() }
    }

    private static func line(_ event: RunEvent) -> String? {
        switch event {
        case .settled(let settled): "\(settled.asset.origin.name): \(settled.ending.rawValue)"
        case .listed(let place, let entries, _): "listed \(place.label): \(entries)"
        case .trouble(let error): "trouble: \(error.message)"
        case .waiting(let error): "waiting: \(error.message)"
        case .held(let target, _): "held: \(target)"
        case .source(let place, .open(let taking, let leaving, _)): "\(place.label): takes \(taking), leaves \(leaving)"
        case .source(let place, .lost(let error)): "\(place.label): lost, \(error.message)"
        case .source(let place, .back): "\(place.label): back"
        case .source(let place, .finished): "\(place.label): finished"
        case .takenElsewhere(let place, let word, let files):
            "\(place.label): \(word.files) of \(files) at \(word.station)"
        default: nil
        }
    }
}

extension RunOutcome {
    /// The buckets that are not empty, and the exit code, as one line.
    var shown: String {
        let counts = Ending.allCases.filter { summary[$0] > 0 }.map { "\(summary[$0]) \($0.rawValue)" }
        return (counts + ["exit \(exitCode.rawValue)"]).joined(separator: ", ")
    }
}
