import FilmgateCore
import FilmgateTesting
import Foundation
import Synchronization
import Testing

@testable import FilmgateEngine

/// A gallery, and stations that deliver to it.
extension ClaimedDeliveryTests {
    /// A gallery that keeps what it is sent, however often.
    final class Gallery: UploadTarget {
        let traits: TargetTraits
        private let kept = Mutex<[String]>([])
        private let asks: Bool
        private let whenKept = Mutex<(@Sendable (String) async -> Void)?>(nil)
        private let whenAsked = Mutex<(@Sendable () async -> Void)?>(nil)
        /// What it says of the place of a copy, and for which it was asked.
        private let word: Verification
        private let asked = Mutex<[String?]>([])
        init(asks: Bool = true, idempotent: Bool = false, isNamed: Bool = false, says word: Verification = .cannotTell)
        {
            var traits = TargetTraits(
                identity: "http:https://gallery.example/:ann", layout: isNamed ? Template("{name}") : nil, parallel: 4,
                idempotent: idempotent)
            (traits.address, traits.answersByDigest) = ("https://gallery.example/", asks)
            (self.traits, self.asks, self.word) = (traits, asks, word)
        }
        var all: [String] { kept.withLock { $0.sorted() } }
        var places: [String?] { asked.withLock(\.self) }
        func verify(_ receipt: Receipt, size: UInt64, sha256: String) async throws(IngestError) -> Verification {
            asked.withLock { $0.append(receipt.url ?? receipt.id) }
            return word
        }
        func keep(_ name: String) { kept.withLock { $0.append(name) } }
        func tell(_ told: @escaping @Sendable (String) async -> Void) { whenKept.withLock { $0 = told } }
        /// What happens between its next answer and whoever gets that.
        func afterAnswer(_ asked: @escaping @Sendable () async -> Void) { whenAsked.withLock { $0 = asked } }
        func check() async throws(IngestError) {}
        func find(_ job: UploadJob) async throws(IngestError) -> Receipt? {
            let isThere = asks && all.contains(job.name), asked = whenAsked.withLock { $0.take() }
            await asked?()
            return isThere ? Receipt(state: .done, id: job.name, verified: .server, existed: true) : nil
        }
        func knows(_ job: UploadJob) async throws(IngestError) -> Bool? { asks ? all.contains(job.name) : nil }
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt {
            await Task.yield()
            keep(job.name)
            if let told = whenKept.withLock(\.self) { await told(job.name) }
            return Receipt(state: .done, id: job.name, verified: asks ? .server : .none)
        }
    }

    final class Notices: Sendable {
        private let told = Mutex<[String]>([])
        var all: [String] { told.withLock(\.self) }
        @Sendable func add(_ notice: ClaimNotice) { told.withLock { $0.append(notice.text) } }
    }

    /// One station at work: what it delivers, and how each file ended.
    final class Station: Sendable {
        let ledger = RecordingLedger()
        let name: String, catalog: MemoryCatalog, claims: StationClaims, session: CatalogSession
        /// What a person was told of other stations.
        let notices: Notices
        private let results = Mutex<[String: AssetResult]>([:]), ended = Mutex<RunOutcome?>(nil)
        private let changes = Mutex<(last: Int64, telling: Task<Void, Never>?)>((0, nil))

        init(
            _ name: String, _ catalog: MemoryCatalog, whenAway: StationRule.WhenAway = .deliver, shares: Bool = true
        ) async throws {
            (self.name, self.catalog) = (name, catalog)
            let membership = try await catalog.join(StationIdentity(uuid: name, name: name))
            session = try await catalog.open(membership, last: nil)
            let notices = Notices()
            self.notices = notices
            claims = StationClaims(
                catalog, station: name, whenAway: whenAway, tell: notices.add, clock: TimerQueue.shared)
            var rule = StationRule()
            if shares { rule.share = [try TargetReference(node: ConfigNode(.scalar("gallery", quoted: false)))] }
            claims.add(SharedTargets(rule, [("gallery", Gallery())], events: []))
            await claims.note(session: session.token, since: .now)
        }

        /// As the reporter does once the ledger has it: one report after the other, since one that comes before what it
        /// follows is not taken.
        ///
        /// `folder`: where it says to have put it.
        func report(
            _ name: String, _ state: DeliveryFact.State = .done, in folder: String? = "https://gallery.example"
        ) async {
            let told = changes.withLock { changes in
                let since = changes.last, before = changes.telling
                changes.last += 1
                let telling = Task {
                    await before?.value
                    await self.tell(name, state, folder.map { "\($0)/\(name)" }, since: since)
                }
                changes.telling = telling
                return telling
            }
            await told.value
        }

        private func tell(_ name: String, _ state: DeliveryFact.State, _ receipt: String?, since: Int64) async {
            var report = StationReport(since: since, upTo: since + 1)
            var fact = DeliveryFact(
                content: ContentKey(rawValue: name), target: "http:https://gallery.example/:ann", targetName: "gallery",
                state: state,
                proof: .server, size: 1)
            (fact.shared, fact.receipt) = (true, receipt)
            report.deliveries = [fact]
            _ = await Result { () async throws(IngestError) in try await catalog.tell(report, session.token) }
        }

        func result(_ name: String) -> AssetResult? { results.withLock { $0[name] } }
        /// How its last run ended.
        var outcome: RunOutcome? { ended.withLock(\.self) }
        func endings() -> [Ending: Int] {
            results.withLock { $0.values.reduce(into: [:]) { $0[$1.ending, default: 0] += 1 } }
        }

        /// Sends files of these names, and waits until the run has nothing more to do.
        ///
        /// `leads`: the primary of a file's shot. `isStaged`: their bytes are this station's own, and nowhere else.
        /// `mayHaveArrived`: as the ledger knows of an earlier run.
        func send(
            _ names: [String], to gallery: Gallery, _ terms: ClaimedAttempt.Terms = .init(),
            leads: [String: String] = [:], isStaged: Bool = false, mayHaveArrived: Bool = false
        ) async throws {
            let file =
                FileManager.default.temporaryDirectory.path + "/filmgate-claims-\(UInt64.random(in: 0...UInt64.max))"
            #expect(FileManager.default.createFile(atPath: file, contents: Data([7])))
            defer { try? FileManager.default.removeItem(atPath: file) }
            let target = PlannedTarget(name: "gallery", target: gallery, workers: nil), hub = EventHub()
            let leases = DeliveryLeases()
            hub.watch { event in
                if case .settled(let one) = event { self.results.withLock { $0[one.asset.origin.name] = one } }
            }
            leases.claims = claims
            let statistics = RunStatistics(hub: hub)
            var setup = DeliverySchedulerSetup(
                targets: [target], ledger: ledger, hub: hub, statistics: statistics,
                reservations: NameReservations(), budget: ByteBudget(limit: 1 << 20), run: 1, event: nil)
            (setup.leases, setup.terms) = (leases, terms)
            let scheduler = DeliveryScheduler(setup)
            for name in names {
                var delivery = Self.delivery(name, to: target, file, isStaged: isStaged)
                let asset = delivery.job.asset, bytes = delivery.job.file, content = delivery.id.content
                delivery.mayHaveArrived = mayHaveArrived
                delivery.lead = leads[name].map { ContentKey(rawValue: $0) }
                await scheduler.submit(
                    AssetDeliveries(
                        asset: asset, content: content, wanted: [target], bytes: bytes, shot: ShotFacts(), budget: 0),
                    deliveries: [delivery])
            }
            await scheduler.drain(wait: .seconds(600))
            await scheduler.closeOut()
            ended.withLock { $0 = statistics.outcome(seconds: 0, signal: nil) }
        }

        static func delivery(
            _ name: String, to target: PlannedTarget, _ file: String, isStaged: Bool = false
        ) -> Delivery {
            let origin = Origin(source: "card", volume: "v", root: "/card", path: name, size: 1, modified: 0)
            let asset = Asset(origin: origin, kind: .jpeg, shot: ShotPlace(key: name, stem: name))
            let bytes = LocalFile(path: file, size: 1, ownership: isStaged ? .staged : .source)
            let job = UploadJob(
                asset: asset, file: bytes, digests: Digests(sha256: name), path: name, name: name,
                values: TemplateValues())
            return Delivery(
                id: Delivery.ID(content: ContentKey(rawValue: name), target: target.identity), job: job, target: target,
                listeners: [asset.id])
        }

        func pending(_ name: String) -> String? { result(name)?.asset.receipts["gallery"]?.reason }
        func state(_ name: String) -> Receipt.State? { result(name)?.asset.receipts["gallery"]?.state }
    }

    static func wish(_ name: String, settles: Bool = true) -> ClaimWish {
        ClaimWish(
            content: ContentKey(rawValue: name), target: "http:https://gallery.example/:ann", targetName: "gallery",
            canBeSettled: settles)
    }
}
