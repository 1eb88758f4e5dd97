import FilmgateCore
import FilmgateTesting
import Foundation
import Synchronization
import Testing

@testable import FilmgateEngine

/// Deliveries of several stations to one gallery: who sends, who waits, and what is believed of whom.
@Suite struct ClaimedDeliveryTests {
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
        #expect(
            two.notices.all == [
                "gallery: desk-1 is sending A; waiting.", "gallery: desk-1 was lost, or gave up A; sent from here.",
            ])
    }

    /// It may have sent it all the same: then the gallery, which is asked, has it.
    @Test func whatALostStationHadSentIsFoundAndSaid() async throws {
        let catalog = MemoryCatalog(), gallery = Gallery(), names = ["A", "B", "C"]
        let one = try await Station("desk-1", catalog), two = try await Station("desk-2", catalog)
        let claimed = try await catalog.claim(names.map { Self.wish($0) }, one.session.token)
        #expect(claimed == [.granted, .granted, .granted])
        let sending = Task { try await two.send(names, to: gallery) }
        for name in names {
            while !two.ledger.reasons(name).contains("desk-1 is sending it") {
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        for name in names { gallery.keep(name) }
        catalog.end(sessionsOf: "desk-1")
        try await sending.value
        #expect(gallery.all == names && two.state("A") == .done)
        // One of three says it all.
        #expect(two.notices.all.count == 2)
        #expect(two.notices.all.first?.hasSuffix("; waiting.") == true)
        #expect(two.notices.all.last?.hasSuffix("; asked gallery: it has it.") == true)
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
        #expect(one.result("A")?.twin == "desk-2:https://gallery.example/A" && one.claims.byOthers == 1)
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
        #expect(two.result("A")?.station == "desk-1" && two.outcome?.byOthers == 1)
        // A lie, or a copy that is gone: nobody's word ends a delivery.
        #expect(two.result("B")?.ending == .pending && two.result("B")?.asset.receipts["gallery"]?.state == .held)
        #expect(two.pending("B")?.contains("says that it does not have it") == true)
        try await two.send(["B"], to: gallery, .init(anyway: true))
        #expect(gallery.all == ["A", "B"] && two.result("B")?.station == nil && two.outcome?.byOthers == 0)
    }

    /// Nobody else did: its ledger is from before.
    @Test func whatAnEarlierLifeDeliveredIsNoOthers() async throws {
        let catalog = MemoryCatalog(), gallery = Gallery(), before = try await Station("desk-1", catalog)
        await before.report("A")
        gallery.keep("A")
        let after = try await Station("desk-1", catalog)
        try await after.send(["A"], to: gallery)
        #expect(after.result("A")?.ending == .duplicate && after.result("A")?.twin?.hasPrefix("desk-1:") == true)
        #expect(after.result("A")?.station == nil && after.outcome?.byOthers == 0)
    }

    @Test func whereNobodyCanAskAWordIsNoProof() async throws {
        let catalog = MemoryCatalog(), gallery = Gallery(asks: false)
        let one = try await Station("desk-1", catalog), two = try await Station("desk-2", catalog)
        await one.report("A")
        try await two.send(["A"], to: gallery)
        #expect(gallery.all == [] && two.result("A")?.ending == .duplicate)
        let receipt = try #require(two.result("A")?.asset.receipts["gallery"])
        // Programs read no other proof than before.
        #expect(receipt.isHearsay && receipt.verified.shown == "none")
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
    @Test(arguments: [false, true]) func whatIsTakenOverWithoutBeingAbleToAskIsHeld(isOld: Bool) async throws {
        let catalog = MemoryCatalog(), gallery = Gallery(asks: false)
        if isOld { catalog.answerAsBefore() }
        let one = try await Station("desk-1", catalog), two = try await Station("desk-2", catalog)
        let wish = ClaimWish(
            content: ContentKey(rawValue: "A"), target: "http:https://gallery.example/:ann", targetName: "gallery")
        _ = try await catalog.claim([wish], one.session.token)
        catalog.end(sessionsOf: "desk-1")
        try await two.send(["A"], to: gallery)
        #expect(gallery.all == [] && two.result("A")?.asset.receipts["gallery"]?.state == .held)
        await two.claims.stop()
        #expect(catalog.claims == (isOld ? ["desk-2"] : []))
    }

    /// It was this station itself, and its ledger knows of it: that leads, as without a catalogue.
    @Test func whatThisStationHadClaimedIsItsOwn() async throws {
        let catalog = MemoryCatalog(), gallery = Gallery(asks: false), before = try await Station("desk-1", catalog)
        let wish = ClaimWish(
            content: ContentKey(rawValue: "A"), target: "http:https://gallery.example/:ann", targetName: "gallery",
            canBeSettled: false)
        _ = try await catalog.claim([wish], before.session.token)
        let after = try await Station("desk-1", catalog)
        try await after.send(["A"], to: gallery, mayHaveArrived: true)
        #expect(gallery.all == ["A"] && after.endings() == [.delivered: 1])
    }

    @Test func whatSomebodySawRemovedIsNotSentUnasked() async throws {
        let catalog = MemoryCatalog(), gallery = Gallery()
        let one = try await Station("desk-1", catalog), two = try await Station("desk-2", catalog)
        await one.report("A", .removed)
        try await two.send(["A"], to: gallery)
        #expect(gallery.all == [] && two.endings() == [.filtered: 1])
        // A person is told that it was not sent.
        #expect(two.result("A")?.seenRemoved.count == 1)
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
