import FilmgateCore
import Testing

@testable import FilmgateLedger

/// What people say of pictures: kept by content, the latest word of each kind, and taken back by whoever has the
/// order's name.
@Suite struct MarkTests {
    private func set(
        _ ledger: SQLiteLedger, _ numbers: [Int], rating: Int? = nil, pick: PictureMark.Pick? = nil, colour: Int? = nil,
        by: String = "ann"
    ) async throws -> MarkOutcome {
        try await ledger.mark(
            MarkOrder(.set(rating: rating, pick: pick, colour: colour, sha256s: numbers.map(Samples.sha)), by: by))
    }

    private func undo(_ ledger: SQLiteLedger, _ token: String, by: String = "ann") async throws -> MarkOutcome {
        try await ledger.mark(MarkOrder(.undo(token: token), by: by))
    }

    private func mark(_ ledger: SQLiteLedger, _ number: Int) async throws -> PictureMark {
        try await ledger.marks(of: [Samples.sha(number)])[Samples.sha(number)] ?? PictureMark()
    }

    private func ledger(files: Int) async throws -> SQLiteLedger {
        let ledger = try SQLiteLedger.inMemory()
        try await ledger.record((1...files).map { .asset(Samples.asset($0)) })
        return ledger
    }

    // MARK: Several people at once

    /// Plainly: of each kind the latest word that nobody took back counts.
    ///
    /// An order that is taken back is as if it had never been given, whatever lies above or below it: so one's own
    /// orders can be taken back one after the other, and nobody's word comes back that was taken back meanwhile.
    private struct Model {
        private struct Order {
            var token: String, values: [Int?] = [], pictures: Set<Int> = [], isTakenBack = false
            /// For one that takes another back, or puts it back: which, and whether it is taken back then.
            var effect: (order: Int, isTakenBack: Bool)?
        }
        private var orders: [Order] = []

        var count: Int { orders.count }
        func token(_ order: Int) -> String { orders[order].token }

        mutating func set(_ values: [Int?], _ pictures: [Int], _ token: String) {
            orders.append(Order(token: token, values: values, pictures: Set(pictures)))
        }

        mutating func undo(_ order: Int, _ token: String) {
            var made = Order(token: token)
            let effect = orders[order].effect.map { (order: $0.order, isTakenBack: !$0.isTakenBack) }
            let meant = orders[order].values.isEmpty ? effect : (order: order, isTakenBack: true)
            if let meant, orders[meant.order].isTakenBack != meant.isTakenBack {
                orders[meant.order].isTakenBack = meant.isTakenBack
                made.effect = meant
            }
            orders.append(made)
        }

        func words(of picture: Int) -> [Int?] {
            (0..<3).map { kind in
                let last = orders.last { order in
                    !order.values.isEmpty && order.values[kind] != nil && order.pictures.contains(picture)
                        && !order.isTakenBack
                }
                return last?.values[kind]
            }
        }
    }

    /// Random orders of four people, among them undoing one's own and others', twice and out of order.
    @Test(arguments: 1...12) func theLatestWordCountsWhoeverSaysIt(_ seed: UInt64) async throws {
        let ledger = try await ledger(files: 8)
        var dice = SeededDice(seed), model = Model()
        for _ in 0..<60 {
            let by = ["ann", "bo", "cleo", "dan"][dice.below(4)]
            if dice.below(3) == 0, model.count > 0 {
                let order = dice.below(model.count)
                model.undo(order, try await undo(ledger, model.token(order), by: by).undo)
            } else {
                let pictures = (1...8).filter { _ in dice.below(3) == 0 }
                let values: [Int?] = [
                    dice.below(2) == 0 ? dice.below(6) : nil, dice.below(2) == 0 ? dice.below(3) : nil, dice.below(9),
                ]
                let pick = values[1].map { PictureMark.Pick.allCases[$0] }
                let made = try await set(ledger, pictures, rating: values[0], pick: pick, colour: values[2], by: by)
                #expect(Set(made.sha256s) == Set(pictures.map(Samples.sha)))
                model.set(values, pictures, made.undo)
            }
            for picture in 1...8 {
                let found = try await mark(ledger, picture)
                let pick = found.pick.flatMap { PictureMark.Pick.allCases.firstIndex(of: $0) }
                #expect([found.rating, pick, found.colour] == model.words(of: picture), "picture \(picture)")
            }
        }
    }

    /// Three stars, then five, and both taken back, and put back again.
    @Test func undoingGoesBackStepByStep() async throws {
        let ledger = try await ledger(files: 2)
        let three = try await set(ledger, [1, 2], rating: 3), five = try await set(ledger, [1, 2], rating: 5)
        let first = try await undo(ledger, five.undo)
        #expect(try await mark(ledger, 1).rating == 3 && first.sha256s.count == 2)
        let second = try await undo(ledger, three.undo)
        #expect(try await mark(ledger, 1).rating == nil && second.sha256s.count == 2)
        // A mark that went back is a newer one all the same: whoever lists files hears of it.
        #expect(try await mark(ledger, 1).revision == second.revision && second.revision > five.revision)
        _ = try await undo(ledger, second.undo)
        #expect(try await mark(ledger, 2).rating == 3)
        _ = try await undo(ledger, first.undo)
        #expect(try await mark(ledger, 2).rating == 5)
        _ = try await undo(ledger, five.undo)
        _ = try await undo(ledger, three.undo)
        #expect(try await mark(ledger, 2).isEmpty)
    }

    /// What somebody else says in between stays, and what was taken back below it does not come back with his undoing.
    @Test func undoingLeavesWhatOthersSaid() async throws {
        let ledger = try await ledger(files: 1)
        let three = try await set(ledger, [1], rating: 3), five = try await set(ledger, [1], rating: 5, by: "bo")
        let hidden = try await undo(ledger, three.undo)
        #expect(try await mark(ledger, 1).rating == 5 && hidden.sha256s.isEmpty)
        let away = try await undo(ledger, five.undo, by: "bo")
        #expect(try await mark(ledger, 1).rating == nil)
        _ = try await undo(ledger, hidden.undo)
        #expect(try await mark(ledger, 1).rating == 3)
        _ = try await undo(ledger, away.undo, by: "bo")
        #expect(try await mark(ledger, 1).rating == 5)
        _ = try await set(ledger, [1], rating: 1, by: "cleo")
        _ = try await undo(ledger, five.undo, by: "bo")
        _ = try await undo(ledger, three.undo)
        #expect(try await mark(ledger, 1).rating == 1)
    }

    /// A RAW that came after its JPEG was marked anew and taken back goes back with it, step by step.
    @Test func whatJoinedAfterAnUndoingGoesBackFurther() async throws {
        let ledger = try await ledger(files: 1)
        let three = try await set(ledger, [1], rating: 3), five = try await set(ledger, [1], rating: 5)
        _ = try await undo(ledger, five.undo)
        try await ledger.record([.asset(raw), .marked(Samples.sha(11), try await mark(ledger, 1))])
        #expect(try await mark(ledger, 11).rating == 3)
        _ = try await set(ledger, [1], colour: 2)
        _ = try await undo(ledger, three.undo)
        for number in [1, 11] {
            let left = try await mark(ledger, number)
            #expect(left.rating == nil && left.colour == 2, "picture \(number)")
        }
    }

    @Test func revisionsRiseAndSayWhoSaidIt() async throws {
        let ledger = try await ledger(files: 2)
        let first = try await set(ledger, [1, 2], rating: 3)
        let second = try await set(ledger, [2], pick: .picked, by: "bo")
        #expect(first.revision < second.revision && first.undo != second.undo)
        #expect(try await mark(ledger, 2).revision == second.revision)
        let authors = try await ledger.reader.authors(ofMarks: [first.revision, second.revision])
        #expect(
            authors[first.revision]?.by == "ann" && authors[second.revision]?.by == "bo"
                && authors[second.revision]?.at ?? 0 > 0)
        let news = try await ledger.reader.contentsMarked(since: first.revision, limit: 10)
        #expect(news.latest == second.revision && news.contents?.count == 1)
        #expect(try await ledger.reader.contentsMarked(since: 0, limit: 1).contents == nil)
    }

    @Test func whatNobodyKnowsIsNotMarked() async throws {
        let ledger = try await ledger(files: 1)
        #expect(try await set(ledger, [7], rating: 3).sha256s == [])
        await #expect(throws: IngestError.self) { try await undo(ledger, "nothing") }
        let state = try TemporaryState()
        let order = MarkOrder(.set(rating: 1, pick: nil, colour: nil, sha256s: [Samples.sha(1)]), by: "ann")
        await #expect(throws: IngestError.self) { try await SQLiteLedger.mark(order, directory: state.path) }
    }

    @Test func onlyTheLatestThousandCanBeTakenBack() async throws {
        let ledger = try await ledger(files: 1)
        let first = try await set(ledger, [1], rating: 5)
        for number in 0..<1000 { _ = try await set(ledger, [1], rating: number % 5) }
        await #expect(throws: IngestError.self) { try await undo(ledger, first.undo) }
    }

    /// The run that holds the state goes on, and neither waits for the other.
    @Test func itIsWrittenBesideTheRunThatHoldsTheState() async throws {
        let state = try TemporaryState(), ledger = try state.open()
        try await ledger.record([.asset(Samples.asset(1))])
        let order = MarkOrder(.set(rating: 4, pick: .picked, colour: nil, sha256s: [Samples.sha(1)]), by: "ann")
        let made = try await SQLiteLedger.mark(order, directory: state.path)
        #expect(try await mark(ledger, 1).rating == 4)
        try await ledger.record([.asset(Samples.asset(2))])
        _ = try await SQLiteLedger.mark(MarkOrder(.undo(token: made.undo), by: "ann"), directory: state.path)
        #expect(try await mark(ledger, 1).isEmpty)
    }

    // MARK: Shots

    /// RAW and JPEG of one shot are marked as one, also where one of them comes later or is spelled otherwise.
    @Test func theFilesOfAShotAreOnePicture() async throws {
        let ledger = try await ledger(files: 3)
        var raw = Samples.asset(1)
        raw.origin.path = "DCIM/100/img_0001.cr3"
        raw.origin.volumePath = raw.origin.path
        (raw.kind, raw.content, raw.digests) = (
            .raw, ContentKey(sha256: Samples.sha(11)), Digests(sha256: Samples.sha(11))
        )
        var sidecar = raw
        sidecar.origin.path = "DCIM/100/IMG_0001.CR3.XMP"
        sidecar.origin.volumePath = sidecar.origin.path
        (sidecar.kind, sidecar.content) = (.sidecar, ContentKey(sha256: Samples.sha(12), beside: Samples.sha(11)))
        sidecar.digests = Digests(sha256: Samples.sha(12))
        try await ledger.record([.asset(raw), .asset(sidecar)])
        let made = try await set(ledger, [1], rating: 4)
        #expect(Set(made.sha256s) == [Samples.sha(1), Samples.sha(11)])
        #expect(try await mark(ledger, 11).rating == 4)
        // A sidecar is no picture, and stands for its own.
        #expect(Set(try await set(ledger, [12], pick: .picked).sha256s) == [Samples.sha(1), Samples.sha(11)])
        try await ledger.record([.marked(Samples.sha(3), try await mark(ledger, 1))])
        #expect(try await mark(ledger, 3).rating == 4)
        _ = try await undo(ledger, made.undo)
        let left = try await mark(ledger, 11)
        #expect(left.rating == nil && left.pick == .picked)
    }

    /// Of the first shot.
    private var raw: AssetRow {
        var raw = Samples.asset(1)
        raw.origin.path = "DCIM/100/IMG_0001.CR3"
        raw.origin.volumePath = raw.origin.path
        (raw.kind, raw.content, raw.digests) = (
            .raw, ContentKey(sha256: Samples.sha(11)), Digests(sha256: Samples.sha(11))
        )
        return raw
    }

    /// A RAW that came after its JPEG was marked loses the mark with it.
    @Test func whatJoinedAShotIsTakenBackWithIt() async throws {
        let ledger = try await ledger(files: 1), made = try await set(ledger, [1], pick: .picked)
        try await ledger.record([.asset(raw), .marked(Samples.sha(11), try await mark(ledger, 1))])
        #expect(try await mark(ledger, 11).pick == .picked)
        _ = try await undo(ledger, made.undo)
        #expect(try await mark(ledger, 11).pick == nil)
    }

    @Test func knownFilesHaveTheirMarks() async throws {
        let ledger = try await ledger(files: 2)
        _ = try await set(ledger, [2], rating: 0, pick: .rejected)
        let known = try await ledger.known(volume: "uuid:1234").sorted { $0.fingerprint.path < $1.fingerprint.path }
        #expect(known.map(\.mark.rating) == [nil, 0] && known.map(\.mark.pick) == [nil, .rejected])
    }

    // MARK: What waits for it

    private func waiting(_ reason: String? = MarkRule.notPicked) async throws -> SQLiteLedger {
        let ledger = try SQLiteLedger.inMemory()
        var row = Samples.delivery(1, to: Samples.gallery, state: .pending, reason: reason)
        row.receipt.path = nil
        row.gate = MarkGate([MarkRule(picks: .only)], sha256: Samples.sha(1), camera: nil)
        try await ledger.record([
            .asset(Samples.asset(1, ending: .pending)), .delivery(Samples.delivery(1)), .delivery(row),
        ])
        return ledger
    }

    private func state(_ ledger: SQLiteLedger) async throws -> (Receipt, Ending?) {
        let row = try await ledger.deliveries(of: ContentKey(sha256: Samples.sha(1))).first {
            $0.target == Samples.gallery
        }
        return (try #require(row).receipt, try await ledger.assets(sha256: Samples.sha(1)).first?.ending)
    }

    /// Nobody has to mark what is only to be sent.
    @Test func whatIsPickedWaitsForThatNoLonger() async throws {
        let ledger = try await waiting()
        var file = Samples.asset(1, ending: .pending)
        for (pick, reason) in [
            (PictureMark.Pick.none, "gallery: \(MarkRule.notPicked)"), (.picked, "gallery: not sent yet"),
        ] {
            file.reason = "gallery: \(MarkRule.notPicked)"
            try await ledger.record([.asset(file)])
            _ = try await set(ledger, [1], pick: pick)
            #expect(try await ledger.assets(sha256: Samples.sha(1)).first?.reason == reason)
        }
    }

    @Test func aGateIsKeptWithItsDelivery() async throws {
        let ledger = try await waiting(), row = try #require(try await ledger.queue([.pending]).first)
        #expect(row.delivery.gate == MarkGate([MarkRule(picks: .only)], sha256: Samples.sha(1), camera: nil))
        #expect(try await ledger.queue(judgedBy: [Samples.sha(1)]) == [row])
        #expect(try await ledger.queue(judgedBy: nil) == [row])
        #expect(try await ledger.queue(judgedBy: [Samples.sha(2)]) == [])
    }

    @Test func aRejectedPictureIsFilteredThereUntilThatIsTakenBack() async throws {
        let ledger = try await waiting(), made = try await set(ledger, [1], pick: .rejected)
        var (receipt, ending) = try await state(ledger)
        #expect(receipt.state == .excluded && receipt.reason == MarkRule.rejected && ending == .delivered)
        let known = try #require(try await ledger.known(volume: "uuid:1234").first)
        #expect(known.cancelled.isEmpty, "no person took it back")
        _ = try await undo(ledger, made.undo)
        (receipt, ending) = try await state(ledger)
        #expect(receipt.state == .pending && receipt.reason == MarkRule.notPicked && ending == .pending)
        _ = try await set(ledger, [1], pick: .picked)
        (receipt, ending) = try await state(ledger)
        #expect(receipt.state == .pending && receipt.reason == nil && ending == .pending)
        #expect(try await ledger.assets(sha256: Samples.sha(1)).first?.reason != nil, "a file that waits says why")
        _ = try await set(ledger, [1], pick: PictureMark.Pick.none)
        #expect(try await state(ledger).0.reason == MarkRule.notPicked)
    }

    /// It was sent, and the answer to that was lost: whoever wants it again has the gallery asked first.
    @Test func aRejectedPictureThatMayHaveArrivedStaysKnownAsThat() async throws {
        let ledger = try await waiting()
        var row = try #require(try await ledger.queue([.pending]).first).delivery
        row.attempts = 2
        try await ledger.record([.delivery(row)])
        let made = try await set(ledger, [1], pick: .rejected), receipt = try await state(ledger).0
        #expect(receipt.state == .excluded)
        #expect(receipt.reason?.hasSuffix("it may have arrived there before: look at gallery") == true)
        let known = try #require(try await ledger.known(volume: "uuid:1234").first)
        #expect(known.cancelled.isEmpty, "no person took it back")
        _ = try await undo(ledger, made.undo)
        #expect(try await ledger.queue([.pending]).first?.delivery.attempts == 1)
    }

    /// A sidecar waits for the mark of its picture: what a list knows of it changes with that, too, however many files
    /// have its bytes.
    @Test func whatFollowsAMarkIsNamedWithIt() async throws {
        let ledger = try await waiting(), reader = ledger.reader, key = SipKey(low: 1, high: 2)
        var row = Samples.delivery(12, to: Samples.gallery, state: .pending, reason: MarkRule.notPicked)
        row.gate = MarkGate([MarkRule(picks: .only)], sha256: Samples.sha(1), camera: nil)
        let files = (12...42).map { number -> LedgerChange in
            var file = Samples.asset(number, ending: .pending)
            (file.content, file.digests) = (ContentKey(sha256: Samples.sha(12)), Digests(sha256: Samples.sha(12)))
            return .asset(file)
        }
        try await ledger.record(files + [.delivery(Samples.delivery(12)), .delivery(row)])
        var list = FrameList(revision: 0)
        _ = list.replace(try await reader.frameIndex(key))
        #expect(list.index.counts.endings == [.pending: 32])
        let made = try await set(ledger, [1], pick: .rejected)
        #expect(made.sha256s == [Samples.sha(1)])
        let contents = try #require(try await reader.contentsMarked(since: 0, limit: 10).contents)
        #expect(contents.count == 2)
        let rows = try #require(try await reader.frames(ofContents: contents, most: 32, key))
        _ = list.take(rows)
        #expect(rows.rows.count == 32 && list.index.counts.endings == [.delivered: 32])
        #expect(list.replace(try await reader.frameIndex(key)) == [])
        let tooMany = try await reader.frames(ofContents: contents, most: 31, key)
        #expect(tooMany == nil)
    }

    /// What a person took back, or a target has, no mark brings back.
    @Test(arguments: [Receipt.State.done, .excluded, .failed]) func whatHasEndedStaysSo(
        _ ended: Receipt.State
    ) async throws {
        let ledger = try await waiting(), old = try #require(try await ledger.queue([.pending]).first?.delivery)
        var row = old
        row.receipt = Receipt(state: ended, at: 7, reason: ended == .excluded ? DeliveryRow.cancelledReason : nil)
        try await ledger.record([.delivery(row)])
        for pick in [PictureMark.Pick.rejected, .picked, .none] { _ = try await set(ledger, [1], pick: pick) }
        let left = try await state(ledger).0
        #expect(left.state == ended && left.reason == row.receipt.reason)
    }
}

/// The same sequence for the same seed.
private struct SeededDice {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }
    mutating func below(_ limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % limit
    }
}
