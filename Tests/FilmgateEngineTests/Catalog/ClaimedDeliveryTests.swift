import FilmgateCore
import FilmgateTesting
import Foundation
import Synchronization
import Testing

@testable import FilmgateEngine

/// Deliveries of several stations to one gallery: who sends, who waits, and what is believed of whom.
@Suite struct ClaimedDeliveryTests {
    /// A gallery that keeps what it is sent, however often.
    private final class Gallery: UploadTarget {
        let traits: TargetTraits
        private let kept = Mutex<[String]>([])
        private let asks: Bool
        private let whenKept = Mutex<(@Sendable (String) async -> Void)?>(nil)
        private let whenAsked = Mutex<(@Sendable () async -> Void)?>(nil)
        init(asks: Bool = true, idempotent: Bool = false) {
            var traits = TargetTraits(
                identity: "http:https://gallery.example/:ann", parallel: 4, idempotent: idempotent)
            (traits.address, traits.answersByDigest) = ("https://gallery.example/", asks)
            (self.traits, self.asks) = (traits, asks)
        }
        var all: [String] { kept.withLock { $0.sorted() } }
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

    /// One station at work: what it delivers, and how each file ended.
    private final class Station: Sendable {
        let ledger = RecordingLedger()
        let name: String, catalog: MemoryCatalog, claims: StationClaims, session: CatalogSession
        private let results = Mutex<[String: AssetResult]>([:])
        private let changes = Mutex<(last: Int64, telling: Task<Void, Never>?)>((0, nil))

        init(
            _ name: String, _ catalog: MemoryCatalog, whenAway: StationRule.WhenAway = .deliver, shares: Bool = true
        ) async throws {
            (self.name, self.catalog) = (name, catalog)
            let membership = try await catalog.join(StationIdentity(uuid: name, name: name))
            session = try await catalog.open(membership, last: nil)
            claims = StationClaims(catalog, station: name, whenAway: whenAway, clock: TimerQueue.shared)
            var rule = StationRule()
            if shares { rule.share = [try TargetReference(node: ConfigNode(.scalar("gallery", quoted: false)))] }
            claims.add(SharedTargets(rule, [("gallery", Gallery())], events: []))
            await claims.note(session: session.token, since: .now)
        }

        /// As the reporter does once the ledger has it: one report after the other, since one that comes before what it
        /// follows is not taken.
        func report(_ name: String, _ state: DeliveryFact.State = .done) async {
            let told = changes.withLock { changes in
                let since = changes.last, before = changes.telling
                changes.last += 1
                let telling = Task {
                    await before?.value
                    await self.tell(name, state, since: since)
                }
                changes.telling = telling
                return telling
            }
            await told.value
        }

        private func tell(_ name: String, _ state: DeliveryFact.State, since: Int64) async {
            var report = StationReport(since: since, upTo: since + 1)
            var fact = DeliveryFact(
                content: ContentKey(rawValue: name), target: "http:https://gallery.example/:ann", targetName: "gallery",
                state: state,
                proof: .server, size: 1)
            (fact.shared, fact.receipt) = (true, "https://gallery.example/\(name)")
            report.deliveries = [fact]
            _ = await Result { () async throws(IngestError) in try await catalog.tell(report, session.token) }
        }

        func result(_ name: String) -> AssetResult? { results.withLock { $0[name] } }
        func endings() -> [Ending: Int] {
            results.withLock { $0.values.reduce(into: [:]) { $0[$1.ending, default: 0] += 1 } }
        }

        /// `leads`: the primary of a file's shot.
        func send(
            _ names: [String], to gallery: Gallery, _ terms: ClaimedAttempt.Terms = .init(),
            leads: [String: String] = [:]
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
            var setup = DeliverySchedulerSetup(
                targets: [target], ledger: ledger, hub: hub, statistics: RunStatistics(hub: hub),
                reservations: NameReservations(), budget: ByteBudget(limit: 1 << 20), run: 1, event: nil)
            (setup.leases, setup.terms) = (leases, terms)
            let scheduler = DeliveryScheduler(setup)
            for name in names {
                let origin = Origin(source: "card", volume: "v", root: "/card", path: name, size: 1, modified: 0)
                let asset = Asset(origin: origin, kind: .jpeg, shot: ShotPlace(key: name, stem: name))
                let bytes = LocalFile(path: file, size: 1, ownership: .source), content = ContentKey(rawValue: name)
                let job = UploadJob(
                    asset: asset, file: bytes, digests: Digests(sha256: name), path: name, name: name,
                    values: TemplateValues())
                var delivery = Delivery(
                    id: Delivery.ID(content: content, target: target.identity), job: job, target: target,
                    listeners: [asset.id])
                delivery.lead = leads[name].map { ContentKey(rawValue: $0) }
                await scheduler.submit(
                    AssetDeliveries(
                        asset: asset, content: content, wanted: [target], bytes: bytes, shot: ShotFacts(), budget: 0),
                    deliveries: [delivery])
            }
            await scheduler.drain(wait: .seconds(600))
            await scheduler.closeOut()
        }

        func pending(_ name: String) -> String? { result(name)?.asset.receipts["gallery"]?.reason }
    }

    private static let names = (0..<60).map { "IMG_\($0).JPG" }

    @Test func twoStationsSendEachFrameOnce() async throws {
        let catalog = MemoryCatalog(), gallery = Gallery()
        let one = try await Station("desk-1", catalog), two = try await Station("desk-2", catalog)
        // Told by whoever has it claimed, as its ledger's report would be.
        gallery.tell { name in
            await one.report(name)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await one.send(Self.names, to: gallery) }
            group.addTask { try await two.send(Self.names.reversed(), to: gallery) }
            try await group.waitForAll()
        }
        #expect(gallery.all == Self.names.sorted())
        let endings = [one.endings(), two.endings()]
        #expect(endings.map { ($0[.delivered] ?? 0) + ($0[.duplicate] ?? 0) } == [60, 60])
        #expect(endings.reduce(0) { $0 + ($1[.delivered] ?? 0) } == 60)
        #expect(catalog.claimed.most <= 256)
    }

    /// A target that is not shared costs no question.
    @Test func whatIsNotSharedIsNeverClaimed() async throws {
        let catalog = MemoryCatalog(), gallery = Gallery(), one = try await Station("desk-1", catalog, shares: false)
        try await one.send(Self.names, to: gallery)
        #expect(gallery.all == Self.names.sorted() && catalog.claimed.questions == 0)
    }

    @Test func whatAnotherStationSendsIsWaitedFor() async throws {
        let catalog = MemoryCatalog(), gallery = Gallery()
        let one = try await Station("desk-1", catalog), two = try await Station("desk-2", catalog)
        let wish = ClaimWish(
            content: ContentKey(rawValue: "A"), target: "http:https://gallery.example/:ann", targetName: "gallery")
        #expect(try await catalog.claim([wish], one.session.token) == [.granted])
        let sending = Task { try await two.send(["A"], to: gallery) }
        while !two.ledger.reasons("A").contains("desk-1 is sending it") { try await Task.sleep(for: .milliseconds(5)) }
        #expect(gallery.all == [])
        // It is lost, and the one that waits takes over.
        catalog.end(sessionsOf: "desk-1")
        try await sending.value
        #expect(gallery.all == ["A"] && two.endings() == [.delivered: 1])
    }

    /// A RAW and its JPEG: the station that sends the RAW has the shot.
    @Test func theRestOfAShotWaitsForItsPrimary() async throws {
        let catalog = MemoryCatalog(), gallery = Gallery()
        let one = try await Station("desk-1", catalog), two = try await Station("desk-2", catalog)
        let raw = ClaimWish(
            content: ContentKey(rawValue: "RAW"), target: "http:https://gallery.example/:ann", targetName: "gallery")
        #expect(try await catalog.claim([raw], one.session.token) == [.granted])
        let sending = Task { try await two.send(["JPEG", "RAW"], to: gallery, leads: ["JPEG": "RAW"]) }
        let words = "desk-1 is sending the picture that it belongs to"
        while !two.ledger.reasons("JPEG").contains(words) { try await Task.sleep(for: .milliseconds(5)) }
        #expect(gallery.all == [] && catalog.claims == ["desk-1"])
        // It has no JPEG of it: once the RAW is there, whoever has one sends it.
        gallery.keep("RAW")
        await one.report("RAW")
        try await sending.value
        #expect(gallery.all == ["JPEG", "RAW"])
        #expect(two.result("RAW")?.ending == .duplicate && two.result("JPEG")?.ending == .delivered)
    }

    /// The JPEG goes first, as galleries get them; nobody else begins with the RAW meanwhile.
    @Test func whoeverBeginsWithAShotHasAllOfIt() async throws {
        let catalog = MemoryCatalog(), gallery = Gallery()
        let one = try await Station("desk-1", catalog), two = try await Station("desk-2", catalog)
        let raw = ClaimWish(
            content: ContentKey(rawValue: "RAW"), target: "http:https://gallery.example/:ann", targetName: "gallery")
        let heard = Mutex<[ClaimAnswer]>([])
        gallery.tell { name in
            guard name == "JPEG" else { return }
            let answer = await Result { () async throws(IngestError) in
                try await catalog.claim([raw], one.session.token)
            }
            heard.withLock { $0 += (try? answer.get()) ?? [] }
        }
        try await two.send(["JPEG", "RAW"], to: gallery, leads: ["JPEG": "RAW"])
        // It may have been sent beside the JPEG already, but never by desk-1.
        #expect(heard.withLock(\.self) == [.held(by: "desk-2")])
        #expect(gallery.all == ["JPEG", "RAW"] && two.endings() == [.delivered: 2])
    }

    /// Without the catalogue nobody waits for a primary.
    @Test func aShotGoesOnWithoutTheCatalogue() async throws {
        let catalog = MemoryCatalog(), gallery = Gallery(), one = try await Station("desk-1", catalog)
        catalog.set(away: IngestError(.unavailable, "No answer."))
        try await one.send(["JPEG", "RAW"], to: gallery, leads: ["JPEG": "RAW"])
        #expect(gallery.all == ["JPEG", "RAW"])
    }

    /// A laptop is shut between the gallery's answer and the first byte, for longer than its session lasts.
    @Test func whatAnotherStationSentWhileThisOneStoodStillIsNotSent() async throws {
        let catalog = MemoryCatalog(), gallery = Gallery()
        let one = try await Station("desk-1", catalog), two = try await Station("desk-2", catalog)
        gallery.afterAnswer {
            catalog.end(sessionsOf: "desk-1")
            await one.claims.note(session: one.session.token, since: ContinuousClock.now - .seconds(90))
            gallery.keep("A")
            await two.report("A")
        }
        let sending = Task { try await one.send(["A"], to: gallery) }
        let words = "its claim was not renewed in time, and is made anew"
        while !one.ledger.reasons("A").contains(words) { try await Task.sleep(for: .milliseconds(5)) }
        #expect(gallery.all == ["A"])
        let membership = try await catalog.join(StationIdentity(uuid: "desk-1", name: "desk-1"))
        let session = try await catalog.open(membership, last: one.session.token)
        await one.claims.note(session: session.token, since: .now)
        try await sending.value
        #expect(gallery.all == ["A"] && one.result("A")?.ending == .duplicate)
        #expect(one.result("A")?.twin == "desk-2:https://gallery.example/A")
    }

    /// Whoever takes over asks the gallery first.
    @Test func whatALostStationSentIsNotSentAgain() async throws {
        let catalog = MemoryCatalog(), gallery = Gallery()
        let one = try await Station("desk-1", catalog), two = try await Station("desk-2", catalog)
        let wish = ClaimWish(
            content: ContentKey(rawValue: "A"), target: "http:https://gallery.example/:ann", targetName: "gallery")
        _ = try await catalog.claim([wish], one.session.token)
        gallery.keep("A")
        catalog.end(sessionsOf: "desk-1")
        try await two.send(["A"], to: gallery)
        #expect(gallery.all == ["A"] && two.endings() == [.duplicate: 1])
    }

    @Test func whatAnotherStationDeliveredIsAskedOfTheGallery() async throws {
        let catalog = MemoryCatalog(), gallery = Gallery()
        let one = try await Station("desk-1", catalog), two = try await Station("desk-2", catalog)
        await one.report("A")
        await one.report("B")
        gallery.keep("A")
        try await two.send(["A", "B"], to: gallery)
        #expect(gallery.all == ["A"])
        #expect(two.result("A")?.ending == .duplicate && two.result("A")?.twin == "desk-1:https://gallery.example/A")
        #expect(two.result("A")?.asset.receipts["gallery"]?.verified == .server)
        // A lie, or a copy that is gone: nobody's word ends a delivery.
        #expect(two.result("B")?.ending == .pending && two.result("B")?.asset.receipts["gallery"]?.state == .held)
        #expect(two.pending("B")?.contains("says that it does not have it") == true)
        try await two.send(["B"], to: gallery, .init(anyway: true))
        #expect(gallery.all == ["A", "B"])
    }

    @Test func whereNobodyCanAskAWordIsNoProof() async throws {
        let catalog = MemoryCatalog(), gallery = Gallery(asks: false)
        let one = try await Station("desk-1", catalog), two = try await Station("desk-2", catalog)
        await one.report("A")
        try await two.send(["A"], to: gallery)
        #expect(gallery.all == [] && two.result("A")?.ending == .duplicate)
        #expect(two.result("A")?.asset.receipts["gallery"]?.verified == Receipt.Proof.none)
        // Where bytes may come twice without harm, the target's own answer is had.
        let other = Gallery(asks: false, idempotent: true)
        try await two.send(["A"], to: other)
        #expect(other.all == ["A"])
    }

    @Test func whatMayHaveBeenSentWhereNobodyCanAskIsHeld() async throws {
        let catalog = MemoryCatalog(), gallery = Gallery(asks: false)
        let one = try await Station("desk-1", catalog), two = try await Station("desk-2", catalog)
        let wish = ClaimWish(
            content: ContentKey(rawValue: "A"), target: "http:https://gallery.example/:ann", targetName: "gallery",
            canBeSettled: false)
        _ = try await catalog.claim([wish], one.session.token)
        catalog.end(sessionsOf: "desk-1")
        try await two.send(["A"], to: gallery)
        #expect(gallery.all == [] && two.result("A")?.asset.receipts["gallery"]?.state == .held)
        #expect(two.pending("A")?.hasPrefix("desk-1 may have sent it") == true)
        try await two.send(["A"], to: gallery, .init(anyway: true))
        #expect(gallery.all == ["A"])
    }

    /// The lost station knew how to ask the gallery, and this one does not.
    @Test func whatIsTakenOverWithoutBeingAbleToAskIsHeld() async throws {
        let catalog = MemoryCatalog(), gallery = Gallery(asks: false)
        let one = try await Station("desk-1", catalog), two = try await Station("desk-2", catalog)
        let wish = ClaimWish(
            content: ContentKey(rawValue: "A"), target: "http:https://gallery.example/:ann", targetName: "gallery")
        _ = try await catalog.claim([wish], one.session.token)
        catalog.end(sessionsOf: "desk-1")
        try await two.send(["A"], to: gallery)
        #expect(gallery.all == [] && two.result("A")?.asset.receipts["gallery"]?.state == .held)
        await two.claims.stop()
        #expect(catalog.claims == ["desk-2"])
    }

    /// It was this station itself: its ledger leads, as without a catalogue.
    @Test func whatThisStationHadClaimedIsItsOwn() async throws {
        let catalog = MemoryCatalog(), gallery = Gallery(asks: false), before = try await Station("desk-1", catalog)
        let wish = ClaimWish(
            content: ContentKey(rawValue: "A"), target: "http:https://gallery.example/:ann", targetName: "gallery",
            canBeSettled: false)
        _ = try await catalog.claim([wish], before.session.token)
        let after = try await Station("desk-1", catalog)
        try await after.send(["A"], to: gallery)
        #expect(gallery.all == ["A"] && after.endings() == [.delivered: 1])
    }

    @Test func whatSomebodySawRemovedIsNotSentUnasked() async throws {
        let catalog = MemoryCatalog(), gallery = Gallery()
        let one = try await Station("desk-1", catalog), two = try await Station("desk-2", catalog)
        await one.report("A", .removed)
        try await two.send(["A"], to: gallery)
        #expect(gallery.all == [] && two.endings() == [.filtered: 1])
        try await two.send(["A"], to: gallery, .init(again: true))
        #expect(gallery.all == ["A"])
    }

    @Test func withoutTheCatalogueThatGoesOnWhichCanBeSettled() async throws {
        let catalog = MemoryCatalog(), one = try await Station("desk-1", catalog), gallery = Gallery()
        let silent = Gallery(asks: false)
        catalog.set(away: IngestError(.unavailable, "No answer."))
        gallery.keep("A")
        try await one.send(["A", "B"], to: gallery)
        #expect(
            gallery.all == ["A", "B"] && one.result("A")?.ending == .duplicate && one.result("B")?.ending == .delivered)
        try await one.send(["C"], to: silent)
        #expect(silent.all == [] && one.result("C")?.asset.receipts["gallery"]?.state == .held)
        catalog.set(away: nil)
        let two = try await Station("desk-2", catalog, whenAway: .hold)
        catalog.set(away: IngestError(.unavailable, "No answer."))
        try await two.send(["D"], to: gallery)
        #expect(gallery.all == ["A", "B"] && two.result("D")?.asset.receipts["gallery"]?.state == .held)
        catalog.set(away: nil)
        await two.claims.note(session: two.session.token, since: .now)
        try await two.send(["D"], to: gallery)
        #expect(gallery.all == ["A", "B", "D"])
    }

    @Test func whatIsLeftIsGivenBack() async throws {
        let catalog = MemoryCatalog(), one = try await Station("desk-1", catalog)
        let gallery = Gallery()
        try await one.send(["A"], to: gallery)
        #expect(catalog.claims == ["desk-1"])
        let wish = ClaimWish(
            content: ContentKey(rawValue: "B"), target: "http:https://gallery.example/:ann", targetName: "gallery")
        #expect(await one.claims.claim(wish) == .answer(.granted))
        await one.claims.ended(wish, isDone: false)
        #expect(catalog.claims == ["desk-1", "desk-1"])
        await one.claims.stop()
        // What was delivered stays until it is told.
        #expect(catalog.claims == ["desk-1"])
    }

    @Test(arguments: ["a.jpg", "2026/a.jpg"]) func pathsStayInTheSharedFolder(_ path: String) {
        #expect(ClaimedAttempt.path(path, below: "/nas") == "/nas/\(path)")
    }

    @Test(arguments: ["", "/etc/passwd", "../a.jpg", "a/../../b", "a//b", "./a", "a/", "a\u{0}b"])
    func pathsThatLeadOutAreNobodys(_ path: String) { #expect(ClaimedAttempt.path(path, below: "/nas") == nil) }
}
