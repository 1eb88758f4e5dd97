import FilmgateCore
import FilmgateLedger
import Foundation

@testable import FilmgateEngine

/// Cards, targets and a ledger in memory: what a verb does with names, without reading a card.
final class NameWorld {
    struct Shot: Sendable {
        var volume: String, folder: String, stem: String, captured: CivilTime?
        /// Extensions on the card, and how often each was written.
        var members: [String: Int] = [:]
    }
    struct File: Hashable, Sendable { var shot: Int, ext: String, version: Int }

    let ledger: SQLiteLedger
    let targetFiles: [FilesAtTarget]
    let layout: String
    private(set) var files: [String: File] = [:]
    var shots: [Shot]
    private var run: Int64 = 0
    private static let bytes: String = {
        let path = FileManager.default.temporaryDirectory.path + "/filmgate-names-\(UInt64.random(in: 0...UInt64.max))"
        _ = FileManager.default.createFile(atPath: path, contents: Data([7]))
        return path
    }()

    /// As in one process: what a run has given is seen by the next.
    private let names = NameRegister()

    /// `ledger`: an empty one; nil = a new one.
    init(_ shots: [Shot], _ targetFiles: [FilesAtTarget], layout: String, ledger: SQLiteLedger? = nil) throws {
        (self.shots, self.targetFiles, self.layout) = (shots, targetFiles, layout)
        self.ledger = try ledger ?? SQLiteLedger.inMemory()
    }

    func content(_ shot: Int, _ ext: String) -> String {
        let file = File(shot: shot, ext: ext, version: shots[shot].members[ext] ?? 0)
        let name = "\(shot)-\(ext)-\(file.version)"
        // As long as a digest is.
        let content = name + String(repeating: "_", count: 64 - name.utf8.count)
        files[content] = file
        return content
    }

    /// What lies on all cards now.
    var present: Set<String> {
        var all: Set<String> = []
        for shot in shots.indices { for ext in shots[shot].members.keys { all.insert(content(shot, ext)) } }
        return all
    }

    static let pictures = ["CR3", "JPG"]

    private func asset(_ shot: Int, _ ext: String) -> Asset {
        let one = shots[shot], path = "\(one.folder)/\(one.stem).\(ext)", version = one.members[ext] ?? 0
        let origin = Origin(
            source: "card", volume: one.volume, root: "/\(one.volume)", path: path, size: 1,
            modified: Int64(version) * 1_000_000_000)
        let key = "\(one.folder)/\(SafeName.folded(one.stem))"
        var asset = Asset(origin: origin, kind: MediaKind(fileName: path), shot: ShotPlace(key: key, stem: one.stem))
        asset.media = MediaFacts()
        asset.media?.captured = one.captured
        asset.file = LocalFile(path: Self.bytes, size: 1, ownership: .source)
        asset.digests = Digests(sha256: content(shot, ext))
        return asset
    }

    /// Its own: what a sequence leaves waiting for an hour is not looked through by those after it.
    private let clock = TimerQueue()

    private func scheduler(
        _ targets: [PlannedTarget], _ event: String?, _ reservations: NameReservations
    ) -> DeliveryScheduler {
        run += 1
        return DeliveryScheduler(
            DeliverySchedulerSetup(
                targets: targets, ledger: ledger, hub: EventHub(), statistics: RunStatistics(hub: EventHub()),
                reservations: reservations, budget: ByteBudget(limit: 1 << 20), run: run, event: event,
                backoff: Backoff(first: .milliseconds(1), cap: .seconds(3600)), clock: clock))
    }

    private func end(_ scheduler: DeliveryScheduler) async {
        await scheduler.drain(wait: .seconds(600))
        await scheduler.closeOut()
    }

    /// All cards, for `event`; without one, held for it.
    func take(_ event: String?) async throws {
        let targets = targetFiles.map { $0.planned(event, layout) }, reservations = NameReservations(names)
        let said = event ?? DeliveryRow.unassigned
        let scheduler = scheduler(targets, said, reservations)
        for shot in shots.indices where !shots[shot].members.isEmpty {
            let planner = NamePlanner(
                ledger: ledger, targets: targets, profiles: ProfileSet(), reservations: reservations, event: said,
                photographer: nil, again: false,
                volumeLabel: shots[shot].volume, bodies: BodySerials(), trees: ClipTreeNames())
            let order = shots[shot].members.keys.sorted {
                (Self.pictures.firstIndex(of: $0) ?? 9, $0) < (Self.pictures.firstIndex(of: $1) ?? 9, $1)
            }
            let assets = order.map { asset(shot, $0) }
            reservations.beginPlacing()
            for planned in try await planner.place(
                assets.map { ($0, targets.map(\.name)) }, lead: assets.first, budget: [:])
            {
                await scheduler.submit(planned.assetDeliveries, deliveries: planned.deliveries)
            }
        }
        await end(scheduler)
    }

    /// An assignment that ends before it sends anything; the book of its names, which are given back once that is gone.
    func breakOff(assigning event: String) async throws -> NameReservations {
        let targets = targetFiles.map { $0.planned(event, layout) }, reservations = NameReservations(names)
        let leftovers = PendingDeliveries(
            ledger: ledger, targets: targets, event: event, assigning: true, reservations: reservations)
        _ = try await leftovers.planned([.held], only: nil)
        return reservations
    }

    /// What waits is sent; with `assigning`, what is held, to `event`, by a pipeline that has `names` alone.
    func send(_ events: [String?], assigning: Bool = false, only names: Set<String>? = nil) async throws {
        let targets = events.flatMap { event in
            targetFiles.filter { names?.contains($0.name) ?? true }.map { $0.planned(event, layout) }
        }
        let event = assigning ? events[0] : nil, reservations = NameReservations(self.names)
        let scheduler = scheduler(targets, event, reservations)
        let leftovers = PendingDeliveries(
            ledger: ledger, targets: targets, event: event, assigning: assigning, reservations: reservations)
        let all = try await leftovers.planned([.pending, .held], only: nil)
        if assigning { await scheduler.assign(all) }
        for planned in all { await scheduler.submit(planned) }
        await end(scheduler)
    }
}
