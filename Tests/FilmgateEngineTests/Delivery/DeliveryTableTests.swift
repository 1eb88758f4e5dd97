import FilmgateCore
import Testing

@testable import FilmgateEngine

/// What the ledger is told of a delivery whose answer was lost, and that nobody wants any more.
@Suite struct DeliveryTableTests {
    private let target = DeliveryWorld.targets[2], asset = DeliveryWorld.assets[0]
    private let bytes = LocalFile(path: "/card/IMG_0.JPG", size: 1, ownership: .source)
    private let now = Moment(instant: .now, wall: 1)
    private var content: ContentKey { ContentKey(rawValue: "c") }
    private var id: Delivery.ID { Delivery.ID(content: content, target: target.identity) }

    /// One delivery to a gallery; `failure` is what its first try came to.
    private func table(after failure: DeliveryFailure, mayHaveArrived: Bool = false) -> DeliveryTable {
        let job = UploadJob(
            asset: asset, file: bytes, digests: Digests(sha256: "c"), path: asset.origin.name, name: asset.origin.name,
            values: TemplateValues())
        var delivery = Delivery(id: id, job: job, target: target, listeners: [asset.id])
        delivery.gate = MarkGate([MarkRule(picks: .only)], sha256: "c", camera: nil)
        delivery.mayHaveArrived = mayHaveArrived
        let submitted = AssetDeliveries(
            asset: asset, content: content, wanted: [target], bytes: bytes, shot: ShotFacts(), budget: 0)
        var table = DeliveryTable([target], run: 1, event: nil, backoff: DeliveryWorld.backoff, at: now)
        _ = table.handle(.submitted(submitted, [delivery], claims: [id: .ours], isShared: false), at: now)
        _ = table.handle(.recorded(.begin(asset.id, [id])), at: now)
        _ = table.handle(.failed(id, failure), at: now)
        _ = table.handle(.recorded(.retry(id, failure.error, after: .seconds(1))), at: now)
        return table
    }

    private func lastRow(_ actions: [DeliveryAction]) -> DeliveryRow? {
        var last: DeliveryRow?
        for case .record(let changes, _) in actions {
            for case .delivery(let row) in changes { last = row }
        }
        return last
    }

    private func lost(asking: Bool = false) -> DeliveryFailure {
        DeliveryFailure(IngestError(.network, "No answer."), moved: nil, jitter: 0.5, wasOnlyAsked: asking)
    }

    private let doubt = "it may have arrived there before: look at gallery"

    @Test func whatIsTakenBackMayHaveArrivedAllTheSame() throws {
        var table = table(after: lost())
        let row = try #require(lastRow(table.handle(.cancelled(id, keeping: []), at: now)))
        #expect(row.isCancelled && row.mayHaveArrived && DeliveryRow.isByHand(row.receipt.reason))
        #expect(row.receipt.reason?.hasSuffix(doubt) == true)
        // Ordered anew, the gallery is asked before it is sent.
        var draft = Draft(asset: asset, content: content, file: bytes, digests: Digests(sha256: "c"))
        draft.add(row, for: target, again: true, event: nil)
        #expect(draft.resumed == [target.name])
    }

    @Test func whatIsRejectedMayHaveArrivedAllTheSame() throws {
        var table = table(after: lost())
        let row = try #require(lastRow(table.handle(.judged([(id, .refuses(MarkRule.rejected))]), at: now)))
        #expect(row.isUnwanted && row.mayHaveArrived && !row.isCancelled)
        #expect(row.receipt.reason?.hasPrefix(MarkRule.rejected) == true)
        #expect(row.receipt.reason?.hasSuffix(doubt) == true)
    }

    /// The gallery did not even say what it has: nothing was sent.
    @Test func whatWasOnlyAskedForIsInNoDoubt() throws {
        var table = table(after: lost(asking: true))
        let row = try #require(lastRow(table.handle(.judged([(id, .refuses(MarkRule.rejected))]), at: now)))
        #expect(row.isUnwanted && !row.mayHaveArrived && row.receipt.reason == MarkRule.rejected)
    }

    /// A later run that could not even ask forgets nothing.
    @Test func whatMayHaveArrivedStaysSoWhileItsTargetIsAway() throws {
        var table = table(after: lost(asking: true), mayHaveArrived: true)
        let row = try #require(lastRow(table.handle(.judged([(id, .refuses(MarkRule.rejected))]), at: now)))
        #expect(row.isUnwanted && row.mayHaveArrived)
        let delivery = try #require(self.table(after: lost(asking: true), mayHaveArrived: true)[id])
        #expect(delivery.row(Receipt(state: .pending), bytes: bytes).mayHaveArrived)
    }

    /// The one file with its one delivery, whose bytes are staged or at their source.
    private func submitted(_ claim: DeliveryClaim, _ ownership: LocalFile.Ownership = .source) -> DeliveryEvent {
        var bytes = bytes
        bytes.ownership = ownership
        let job = UploadJob(
            asset: asset, file: bytes, digests: Digests(sha256: "c"), path: asset.origin.name, name: asset.origin.name,
            values: TemplateValues())
        let delivery = Delivery(id: id, job: job, target: target, listeners: [asset.id])
        let deliveries = AssetDeliveries(
            asset: asset, content: content, wanted: [target], bytes: bytes, shot: ShotFacts(), budget: 0)
        return .submitted(deliveries, [delivery], claims: [id: claim], isShared: false)
    }

    /// One delivery that waits for another station.
    private func table(withheld: WithheldDelivery?, _ ownership: LocalFile.Ownership = .source) -> DeliveryTable {
        var table = DeliveryTable([target], run: 1, event: nil, backoff: DeliveryWorld.backoff, at: now)
        _ = table.handle(submitted(.ours, ownership), at: now)
        _ = table.handle(.recorded(.begin(asset.id, [id])), at: now)
        if let withheld { _ = table.handle(.withheld(id, withheld), at: now) }
        return table
    }

    /// `retry --anyway` while a run has the delivery: that run is told.
    @Test(arguments: [false, true]) func whatIsHeldIsSentAnywayByWhoHasIt(anyway: Bool) {
        var table = table(withheld: WithheldDelivery(.held, "desk-3 may have sent it"))
        var sent: [Bool] = []
        for case .send(let delivery) in table.handle(.tryNow(target.name, anyway: anyway), at: now) {
            sent.append(delivery.goesAnyway)
        }
        #expect(sent == [anyway])
    }

    /// `retry --anyway FILE` says nothing of what else another station may have sent.
    @Test func anywayIsSaidOfTheFilesThatAreNamed() {
        var table = table(withheld: WithheldDelivery(.held, "desk-3 may have sent it"))
        for (named, count) in [(ContentKey(rawValue: "d"), 0), (content, 1)] {
            let sent = table.handle(.tryNow(nil, of: [named], anyway: true), at: now).count {
                if case .send = $0 { true } else { false }
            }
            #expect(sent == count)
        }
    }

    /// What only another station says to be there is told to nobody as delivered, and ends no last bytes.
    @Test(arguments: [LocalFile.Ownership.staged, .source])
    func hearsayIsNoDelivery(_ ownership: LocalFile.Ownership) throws {
        var table = table(withheld: nil, ownership)
        let receipt = Receipt(state: .done, verified: .hearsay, existed: true)
        var delivered = DeliveryAttempt.Delivered(
            receipt: receipt, foreign: ForeignCopy(station: "desk-3", place: "gallery"))
        delivered.ifLast = WithheldDelivery(.held, "look there")
        let row = try #require(lastRow(table.handle(.delivered(id, delivered), at: now)))
        guard ownership == .source else {
            #expect(row.receipt.state == .held && table[id]?.isWithheld == true)
            return
        }
        #expect(row.receipt.state == .done)
        for case .tell(.delivered) in table.handle(.recorded(.conclude(id, row.receipt, [])), at: now) {
            Issue.record("It was told as delivered.")
        }
    }

    /// The target refused the question: the ledger goes on by the receipt that it has.
    @Test func aQuestionThatIsRefusedTakesNoReceiptBack() throws {
        let done = Receipt(state: .done, url: "http://a/1", verified: .server, at: 1)
        let before = DeliveryRow(
            content: content, target: target.identity, targetName: target.name, receipt: done, size: 1, path: "")
        let refused = DeliveryFailure(IngestError(.rejected, "No."), moved: nil, jitter: 0.5, wasOnlyAsked: true)
        let job = UploadJob(
            asset: asset, file: bytes, digests: Digests(sha256: "c"), path: asset.origin.name, name: asset.origin.name,
            values: TemplateValues())
        var delivery = Delivery(id: id, job: job, target: target, listeners: [asset.id])
        delivery.recheck = before
        let submitted = AssetDeliveries(
            asset: asset, content: content, wanted: [target], bytes: bytes, shot: ShotFacts(), budget: 0)
        var table = DeliveryTable([target], run: 1, event: nil, backoff: DeliveryWorld.backoff, at: now)
        _ = table.handle(.submitted(submitted, [delivery], claims: [id: .ours], isShared: false), at: now)
        let actions = table.handle(.failed(id, refused), at: now)
        #expect(lastRow(actions) == nil)
        var endings: [Ending?] = []
        for case .record(let changes, _) in actions {
            for case .asset(let row) in changes { endings.append(row.ending) }
        }
        #expect(endings == [.duplicate], "\(endings)")
    }

    /// What the table wants done, where all of it is written down at once.
    private func actions(_ table: inout DeliveryTable, _ event: DeliveryEvent) -> [DeliveryAction] {
        var all: [DeliveryAction] = [], next = [event]
        while !next.isEmpty {
            let actions = table.handle(next.removeFirst(), at: now)
            all += actions
            for case .record(_, let step?) in actions { next.append(.recorded(step)) }
        }
        return all
    }

    /// A file that an earlier run left waiting is read for a target that is new: nothing is sent anew, and it ends with
    /// both.
    @Test func whatWaitsAndIsReadAgainEndsOnce() {
        let archive = DeliveryWorld.targets[0], first = asset, key = content
        let left = LocalFile(path: "/spool/IMG_0", size: 1, ownership: .staged)
        let read = LocalFile(path: "/spool/IMG_0.part", size: 1, ownership: .staged)
        func delivery(to target: PlannedTarget, _ file: LocalFile) -> Delivery {
            let job = UploadJob(
                asset: first, file: file, digests: Digests(sha256: "c"), path: first.origin.name,
                name: first.origin.name, values: TemplateValues(), mayTake: true)
            let id = Delivery.ID(content: key, target: target.identity)
            return Delivery(id: id, job: job, target: target, listeners: [first.id])
        }
        var waiting = AssetDeliveries(
            asset: asset, content: content, wanted: [target], bytes: left, shot: ShotFacts(), budget: 1)
        waiting.isRecorded = true
        let again = AssetDeliveries(
            asset: asset, content: content, wanted: [archive, target], bytes: read, shot: ShotFacts(), budget: 1)
        var table = DeliveryTable([archive, target], run: 1, event: nil, backoff: DeliveryWorld.backoff, at: now)
        let new = Delivery.ID(content: content, target: archive.identity), sent = [delivery(to: target, left)]
        var all = actions(&table, .submitted(waiting, sent, claims: [id: .ours], isShared: false))
        let both = [delivery(to: archive, read), delivery(to: target, read)]
        all += actions(&table, .submitted(again, both, claims: [new: .ours], isShared: false))
        let there = Receipt(state: .done, path: "/archive/IMG_0.JPG")
        all += actions(&table, .delivered(new, DeliveryAttempt.Delivered(receipt: there)))
        #expect(!table.isEmpty)
        all += actions(&table, .delivered(id, DeliveryAttempt.Delivered(receipt: Receipt(state: .done, id: "1"))))
        var targets: [String] = [], endings: [AssetDeliveries] = [], spooled: [String] = [], budget: UInt64 = 0
        for action in all {
            switch action {
            case .send(let delivery): targets.append(delivery.id.target)
            case .settle(let asset): endings.append(asset)
            case .discardSpooled(let delivery): spooled += [delivery.spooled].compactMap(\.self)
            case .giveBack(let bytes): budget += bytes
            default: break
            }
        }
        #expect(targets == [target.identity, archive.identity] && table.isEmpty)
        #expect(endings.map(\.ending) == [.delivered] && endings.first?.receipts.count == 2)
        // What each of them was sent from is removed, and both have given their room back.
        #expect(spooled == [left.path] && endings.first?.obsolete == read)
        #expect(budget + endings.reduce(0) { $0 + $1.budget } == 2)
    }

    /// Another job gives up a delivery that this one has taken up meanwhile, for the same file: it is sent, and ends it.
    @Test func whatIsGivenUpAndOursByThenIsSent() {
        var table = DeliveryTable([target], run: 1, event: nil, backoff: DeliveryWorld.backoff, at: now)
        _ = actions(&table, submitted(.anothers))
        _ = actions(&table, submitted(.ours))
        #expect(actions(&table, .heard(id, nil)).allSatisfy { if case .settle = $0 { false } else { true } })
        let receipt = Receipt(state: .done, id: "1")
        let all = actions(&table, .delivered(id, DeliveryAttempt.Delivered(receipt: receipt)))
        var endings: [AssetDeliveries] = []
        for case .settle(let asset) in all { endings.append(asset) }
        #expect(endings.map(\.ending) == [.delivered] && table.isEmpty)
    }

    /// The rows that files have in the ledger from then on, in the order in which they are written.
    private func files(_ actions: [DeliveryAction]) -> [AssetRow] {
        var files: [AssetRow] = []
        for case .record(let changes, _) in actions {
            for case .asset(let row) in changes { files.append(row) }
        }
        return files
    }

    /// Two files of the same bytes, for an archive and a gallery that wants what is picked.
    private struct Twins {
        let archive = DeliveryWorld.targets[0], gallery: PlannedTarget, content: ContentKey, bytes: LocalFile
        var folder: Delivery.ID { Delivery.ID(content: content, target: archive.identity) }
        var waiting: Delivery.ID { Delivery.ID(content: content, target: gallery.identity) }

        /// That file as it is handed over; `isKnown`: the archive has it by an earlier run.
        func submitted(_ asset: Asset, isKnown: Bool = false) -> DeliveryEvent {
            let targets = isKnown ? [gallery] : [archive, gallery]
            var deliveries: [Delivery] = []
            for one in targets {
                let job = UploadJob(
                    asset: asset, file: bytes, digests: Digests(sha256: content.rawValue), path: asset.origin.name,
                    name: asset.origin.name, values: TemplateValues())
                var delivery = Delivery(
                    id: Delivery.ID(content: content, target: one.identity), job: job, target: one,
                    listeners: [asset.id])
                if one.identity == gallery.identity {
                    delivery.gate = MarkGate([MarkRule(picks: .only)], sha256: content.rawValue, camera: nil)
                    delivery.verdict = .waits(MarkRule.notPicked)
                }
                deliveries.append(delivery)
            }
            let file = AssetDeliveries(
                asset: asset, content: content, wanted: targets, bytes: bytes, shot: ShotFacts(), budget: 0)
            return .submitted(file, deliveries, claims: [folder: .ours, waiting: .ours], isShared: false)
        }
    }
    private var twins: Twins { Twins(gallery: target, content: content, bytes: bytes) }

    private func empty() -> DeliveryTable {
        DeliveryTable([twins.archive, target], run: 1, event: nil, backoff: DeliveryWorld.backoff, at: now)
    }

    /// A run that is killed says nothing more: what waits for a person is told as that from the first moment, and is on
    /// its way again once it is picked.
    @Test func whatWaitsForAPickIsPendingAtOnce() throws {
        var table = empty()
        let begun = actions(&table, twins.submitted(asset))
        #expect(files(begun).map(\.ending) == [nil], "the archive has it not yet")
        let done = DeliveryAttempt.Delivered(receipt: Receipt(state: .done, path: "/archive/IMG_0.JPG", at: 1))
        let waiting = try #require(files(actions(&table, .delivered(twins.folder, done))).last)
        #expect(waiting.ending == .pending && waiting.reason == "\(target.name): \(MarkRule.notPicked)")
        let picked = files(table.handle(.judged([(id, .takes)]), at: now))
        #expect(picked.map(\.ending) == [nil] && picked.first?.reason == nil)
    }

    /// The same bytes under two names: both files wait for the pick, whichever of them came when, and go on with it.
    @Test(arguments: [true, false]) func whatHasTheBytesOfSuchAFileIsPendingAtOnce(_ isKnown: Bool) throws {
        var table = empty()
        let other = DeliveryWorld.assets[1], both = Set([asset.origin, other.origin])
        let first = files(actions(&table, twins.submitted(asset, isKnown: isKnown)))
        var second = files(actions(&table, twins.submitted(other, isKnown: isKnown)))
        if isKnown {
            // For the gallery alone, each is told of when it comes.
            #expect(Set(first.map(\.origin)) == [asset.origin] && Set(first.map(\.ending)) == [.pending])
        } else {
            let done = DeliveryAttempt.Delivered(receipt: Receipt(state: .done, path: "/archive/IMG_0.JPG", at: 1))
            second += files(actions(&table, .delivered(twins.folder, done)))
        }
        let last = try #require(second.last { $0.origin == other.origin })
        #expect(last.ending == .pending && last.reason == "\(target.name): \(MarkRule.notPicked)")
        let picked = files(table.handle(.judged([(id, .takes)]), at: now))
        #expect(Set(picked.map(\.origin)) == both && picked.allSatisfy { $0.ending == nil && $0.reason == nil })
    }
}
