import FilmgateCore
import FilmgateTesting
import Synchronization
import Testing

@testable import FilmgateEngine

/// What may have been sent, what is only said to be there, and what a person has said to that.
extension ClaimedDeliveryTests {
    /// It is kept for itself while its JPEG goes: what is in doubt then is in doubt at its own turn, and at every other.
    @Test(arguments: [false, true]) func aDoubtfulPrimaryIsNotSentAtItsOwnTurn(isOld: Bool) async throws {
        let catalog = MemoryCatalog(), gallery = Gallery(asks: false)
        if isOld { catalog.answerAsBefore() }
        let one = try await Station("desk-1", catalog), two = try await Station("desk-2", catalog)
        _ = try await catalog.claim([Self.wish("RAW")], one.session.token)
        catalog.end(sessionsOf: "desk-1")
        for _ in 0..<2 {
            try await two.send(["JPEG", "RAW"], to: gallery, leads: ["JPEG": "RAW"])
            #expect(!gallery.all.contains("RAW") && two.state("RAW") == .held)
        }
        #expect(two.pending("RAW")?.hasSuffix("`filmgate retry --anyway`") == true)
        try await two.send(["RAW"], to: gallery, .init(anyway: true))
        #expect(gallery.all.count { $0 == "RAW" } == 1 && two.result("RAW")?.ending == .delivered)
    }

    /// Its own pipeline says how, and another's did not.
    @Test(arguments: [false, true]) func whatIsUnsureIsAskedWhereThisStationCan(isOld: Bool) async throws {
        let catalog = MemoryCatalog(), gallery = Gallery()
        if isOld { catalog.answerAsBefore() }
        let one = try await Station("desk-1", catalog), two = try await Station("desk-2", catalog)
        _ = try await catalog.claim(["A", "B"].map { Self.wish($0, settles: false) }, one.session.token)
        catalog.end(sessionsOf: "desk-1")
        gallery.keep("A")
        try await two.send(["A", "B"], to: gallery)
        #expect(two.result("A")?.ending == .duplicate && gallery.all == (isOld ? ["A"] : ["A", "B"]))
        // Tables of before give nobody the claim of what is not there.
        #expect(two.state("B") == (isOld ? .held : .done))
        if isOld { #expect(two.pending("B")?.contains("says that it does not have it") == true) }
    }

    /// A state directory from a backup knows nothing of what was sent after that.
    @Test func whatAnEarlierLifeMaySentIsHeld() async throws {
        let catalog = MemoryCatalog(), gallery = Gallery(asks: false), before = try await Station("desk-1", catalog)
        _ = try await catalog.claim([Self.wish("A", settles: false)], before.session.token)
        let after = try await Station("desk-1", catalog)
        for _ in 0..<2 {
            try await after.send(["A"], to: gallery)
            #expect(gallery.all == [] && after.state("A") == .held)
        }
        #expect(after.pending("A")?.hasPrefix("an earlier run of desk-1 may have sent it") == true)
        try await after.send(["A"], to: gallery, .init(anyway: true))
        #expect(gallery.all == ["A"])
    }

    /// Whoever has to look is told where, and when it may have been.
    @Test func whenItMayHaveBeenSentIsSaid() async throws {
        let catalog = MemoryCatalog(), gallery = Gallery(asks: false), time = catalog.tellTimes()
        let one = try await Station("desk-1", catalog), two = try await Station("desk-2", catalog)
        _ = try await catalog.claim([Self.wish("A", settles: false)], one.session.token)
        catalog.end(sessionsOf: "desk-1")
        try await two.send(["A"], to: gallery)
        let text = try #require(ClaimTime(time)?.text)
        #expect(two.pending("A")?.hasPrefix("desk-1 may have sent it at \(text), and gallery cannot") == true)
        #expect(two.notices.all.count == 1)
        #expect(two.notices.all.first?.contains("desk-1 may or may not have sent A at \(text) before") == true)
    }

    /// What was given to this process is its own in the next session, too: it knows that it sent nothing.
    @Test func aSessionThatIsOverLeavesNoDoubtAboutWhatWasNotSent() async throws {
        let catalog = MemoryCatalog(), one = try await Station("desk-1", catalog), wish = Self.wish("A", settles: false)
        #expect(await one.claims.claim(wish) == .answer(.granted))
        await one.claims.ended(wish, isDone: false, mayHaveArrived: false)
        let membership = try await catalog.join(StationIdentity(uuid: "desk-1", name: "desk-1"))
        let session = try await catalog.open(membership, last: one.session.token)
        await one.claims.note(session: session.token, since: .now)
        #expect(await one.claims.claim(wish) == .answer(.granted))
    }

    /// A gallery from a backup: every desk is told to send again, and one does.
    @Test func twoWhoSendAgainSendOnce() async throws {
        let catalog = MemoryCatalog(), gallery = Gallery(), heard = Mutex<[ClaimAnswer]>([])
        let one = try await Station("desk-1", catalog), two = try await Station("desk-2", catalog)
        let three = try await Station("desk-3", catalog)
        await three.report("A", .removed)
        gallery.afterAnswer {
            var again = Self.wish("A")
            again.again = true
            let wish = again
            let answer = await Result { () async throws(IngestError) in
                try await catalog.claim([wish], two.session.token)
            }
            heard.withLock { $0 += (try? answer.get()) ?? [] }
        }
        try await one.send(["A"], to: gallery, .init(again: true))
        #expect(heard.withLock(\.self) == [.held(by: "desk-1")] && gallery.all == ["A"])
        await one.report("A")
        try await two.send(["A"], to: gallery, .init(again: true))
        // What it told stands for all, also for who was told nothing.
        try await three.send(["A"], to: gallery)
        #expect(
            gallery.all == ["A"] && [two.result("A"), three.result("A")].map(\.?.ending) == [.duplicate, .duplicate])
    }

    /// Before its tables know of that, nobody is given what was removed.
    @Test func withTablesOfBeforeNothingIsSentAgain() async throws {
        let catalog = MemoryCatalog(), gallery = Gallery(), one = try await Station("desk-1", catalog)
        catalog.answerAsBefore()
        await one.report("A", .removed)
        try await one.send(["A"], to: gallery, .init(again: true))
        #expect(gallery.all == [] && one.pending("A")?.contains("`filmgate catalog migrate`") == true)
    }

    /// Where files have names somebody can look; and a word about another place than the gallery's is none.
    @Test(arguments: [
        nil, "https://gallery.example", "https://elsewhere.example", "https://gallery.example/..",
        "https://gallery.example.evil.example", "https://gallery.example/.hidden", "/etc",
    ])
    func aWordAboutANamedPlaceThatCannotBeLookedAtIsHeld(_ folder: String?) async throws {
        let catalog = MemoryCatalog(), one = try await Station("desk-1", catalog)
        let two = try await Station("desk-2", catalog), isOwn = folder == "https://gallery.example"
        // It would say yes to any place that it is asked for.
        let gallery = Gallery(asks: false, idempotent: true, isNamed: true, says: isOwn ? .cannotTell : .equal)
        await one.report("A", in: folder)
        try await two.send(["A"], to: gallery)
        #expect(gallery.all == [] && gallery.places == (isOwn ? ["https://gallery.example/A"] : []))
        #expect(two.state("A") == .held && two.pending("A")?.hasSuffix("`filmgate retry --anyway`") == true)
        try await two.send(["A"], to: gallery, .init(anyway: true))
        #expect(gallery.all == ["A"] && catalog.claims == ["desk-2"])
    }

    /// Read back at its place, it is proven.
    @Test func aNamedPlaceIsLookedAt() async throws {
        let catalog = MemoryCatalog(), gallery = Gallery(asks: false, idempotent: true, isNamed: true, says: .equal)
        let one = try await Station("desk-1", catalog), two = try await Station("desk-2", catalog)
        await one.report("A")
        try await two.send(["A"], to: gallery)
        let receipt = two.result("A")?.asset.receipts["gallery"]
        #expect(gallery.all == [] && two.result("A")?.ending == .duplicate && receipt?.verified == .found)
        #expect(receipt?.url == "https://gallery.example/A")
    }

    /// Nothing else has these bytes: a word without proof does not end them.
    @Test func theLastBytesAreNotLeftToAWord() async throws {
        let catalog = MemoryCatalog(), gallery = Gallery(asks: false)
        let one = try await Station("desk-1", catalog), two = try await Station("desk-2", catalog)
        await one.report("A")
        try await two.send(["A"], to: gallery, isStaged: true)
        #expect(gallery.all == [] && two.state("A") == .held)
        #expect(two.pending("A")?.contains("`filmgate retry --anyway`, or `filmgate cancel`") == true)
        try await two.send(["A"], to: gallery, .init(anyway: true), isStaged: true)
        #expect(gallery.all == ["A"] && two.result("A")?.ending == .delivered)
    }

    /// A sign-in that ended, a full gallery: whatever is claimed there is another station's to send.
    @Test(arguments: [IngestError.Code.unauthorized, .storageFull, .misconfigured])
    func whatIsHeldHereIsAnothersToSend(_ code: IngestError.Code) async throws {
        let catalog = MemoryCatalog(), one = try await Station("desk-1", catalog)
        let two = try await Station("desk-2", catalog), gallery = Gallery()
        let target = PlannedTarget(name: "gallery", target: gallery, workers: nil), leases = DeliveryLeases()
        leases.claims = one.claims
        for (name, code) in [("A", IngestError.Code.network), ("B", code)] {
            let attempt = try #require(
                ClaimedAttempt(one.claims, Station.delivery(name, to: target, "/nowhere"), .init()))
            _ = await attempt.carry { .failed($0.id, DeliveryFailure(IngestError(code, "No."))) }
        }
        #expect(catalog.claims == ["desk-1", "desk-1"])
        leases.note(held: IngestError(code, "No."), target.identity, by: leases.join())
        while catalog.claims != [] { try await Task.sleep(for: .milliseconds(5)) }
        try await two.send(["A", "B"], to: gallery)
        #expect(gallery.all == ["A", "B"])
    }

    /// Its bytes cannot be read here, and nothing of it was sent, where nobody could ask, either.
    @Test func whatCannotBeReadHereIsAnothersToSend() async throws {
        let catalog = MemoryCatalog(), gallery = Gallery(asks: false), one = try await Station("desk-1", catalog)
        let target = PlannedTarget(name: "gallery", target: gallery, workers: nil)
        let lost = IngestError(.unavailable, "No disk.", cause: LostBytes())
        let attempt = try #require(
            ClaimedAttempt(one.claims, Station.delivery("A", to: target, "/nowhere"), .init()))
        _ = await attempt.carry { .failed($0.id, DeliveryFailure(lost)) }
        while catalog.claims != [] { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// One that is wanted again while it is given back: the claim that is granted then is not given back with it.
    @Test func aWishWaitsForWhatIsBeingGivenBack() async throws {
        let catalog = MemoryCatalog(), one = try await Station("desk-1", catalog), wish = Self.wish("A")
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        catalog.beforeRelease { for await _ in gate {} }
        #expect(await one.claims.claim(wish) == .answer(.granted))
        await one.claims.ended(wish, isDone: false, mayHaveArrived: false)
        await one.claims.letGo(of: wish)
        let again = Task { await one.claims.claim(wish) }
        try await Task.sleep(for: .milliseconds(50))
        #expect(catalog.claimed.questions == 1)
        opening.finish()
        #expect(await again.value == .answer(.granted))
        #expect(catalog.claims == ["desk-1"])
    }
}
