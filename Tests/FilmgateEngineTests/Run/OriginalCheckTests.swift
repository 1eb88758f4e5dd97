import FileKit
import FilmgateCore
import FilmgateLedger
import FilmgateTesting
import Foundation
import Synchronization
import Testing

@testable import FilmgateEngine

/// Two cards of one camera whose clock was never set lie at one path, one after the other: the frames have the same
/// names, sizes and times, and only one of them has another copy.
@Suite(.timeLimit(.minutes(1))) struct OriginalCheckTests {
    /// What is known of the file when it is taken: as of a card without inodes, or as of a dump.
    enum Kind: CaseIterable { case card, dump }

    /// A frame that was read from `CARD`, with its staged copy.
    private final class Scene: Sendable {
        let place = FileManager.default.temporaryDirectory.path + "/filmgate-original-\(UUID().uuidString)"
        let origin: Origin, sha256: String
        var staged: String { place + "/staging/s0000000000000000-1.part" }
        var content: ContentKey { ContentKey(sha256: sha256) }
        var stagedFiles: Int {
            ((try? FileManager.default.contentsOfDirectory(atPath: place + "/staging")) ?? []).count
        }

        init(_ kind: Kind) throws {
            let card = place + "/CARD", path = card + "/A.JPG"
            try FileManager.default.createDirectory(
                atPath: place + "/staging", withIntermediateDirectories: true)
            try Self.write("first", to: card)
            try FileManager.default.copyItem(atPath: path, toPath: place + "/staging/s0000000000000000-1.part")
            let facts = try #require(try FileFacts.of(path))
            let volume = try Volumes.current().volume(of: FileSystem.canonical(card))
            let hasInode = kind == .dump && volume.hasStableInodes
            origin = Origin(
                source: "card", volume: volume.identity, root: card, path: "A.JPG", size: facts.size,
                modified: facts.modified, inode: hasInode ? facts.inode : 0, changed: hasInode ? facts.changed : 0,
                volumePath: volume.isRemovable ? volume.mount.pathOnVolume(path) : path)
            sha256 = try FileCopy.hash(path: path).digests.sha256
        }

        deinit { try? FileManager.default.removeItem(atPath: place) }

        private static func write(_ text: String, to card: String) throws {
            try FileManager.default.createDirectory(atPath: card, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(fileURLWithPath: card + "/A.JPG"))
            // A minute after such a clock began.
            let date = Date(timeIntervalSince1970: 315_532_860)
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: card + "/A.JPG")
        }

        /// The other card comes in its place; the first one was formatted.
        func swap() throws {
            try FileManager.default.moveItem(atPath: place + "/CARD", toPath: place + "/AWAY")
            try Self.write("other", to: place + "/CARD")
            let now = try #require(try FileFacts.of(place + "/CARD/A.JPG"))
            #expect(now.size == origin.size && now.modified == origin.modified)
        }

        func swapBack() throws {
            try FileManager.default.removeItem(atPath: place + "/CARD")
            try FileManager.default.moveItem(atPath: place + "/AWAY", toPath: place + "/CARD")
        }
    }

    @Test(arguments: Kind.allCases) func anotherCardsFrameIsNotTheOneThatWasTaken(_ kind: Kind) async throws {
        let scene = try Scene(kind)
        #expect(OriginalCheck().isThere(scene.origin, scene.sha256))
        // A dump's inode and status change are enough; a card's undated frame is read.
        #expect(OriginalCheck().isThere(scene.origin, "another digest") == (scene.origin.inode != 0))
        try scene.swap()
        #expect(!OriginalCheck().isThere(scene.origin, scene.sha256))
        #expect(await !OriginalCheck().isThereNow(scene.origin, scene.sha256))
        try scene.swapBack()
        #expect(OriginalCheck().isThere(scene.origin, scene.sha256))
        var elsewhere = scene.origin
        elsewhere.volume = "another volume"
        #expect(OriginalCheck().isThere(elsewhere, scene.sha256))
        #expect(!OriginalCheck().isThere(elsewhere, "another digest"))
    }

    /// `filmgate cancel` of an order whose bytes were staged by a run that is over.
    @Test(arguments: Kind.allCases, [true, false])
    func theLastBytesStayInTheirFile(_ kind: Kind, _ isSwapped: Bool) async throws {
        let scene = try Scene(kind), ledger = try SQLiteLedger.inMemory()
        var asset = AssetRow(
            origin: scene.origin, run: 1, kind: .jpeg, shot: ShotPlace(key: "a", stem: "A"), at: 1)
        (asset.content, asset.wanted, asset.ending) = (scene.content, ["gallery"], .pending)
        var row = DeliveryRow(
            content: scene.content, target: "gallery", targetName: "gallery", receipt: Receipt(state: .pending, at: 5),
            size: scene.origin.size, path: "A.JPG")
        (row.file, row.staged) = (scene.staged, true)
        try await ledger.record([.asset(asset), .delivery(row)])
        if isSwapped { try scene.swap() }
        let cancellation = Cancellation(ledger)
        var outcomes: [Cancellation.Outcome] = []
        try await cancellation.carryOut(try await cancellation.orders(), .takenBack, ledger, DeliveryLeases()) {
            outcomes.append($1)
        }
        #expect(outcomes == [isSwapped ? .kept(scene.staged) : .cancelled])
        #expect(scene.stagedFiles == (isSwapped ? 1 : 0))
    }

    /// A mount whose server is gone: whoever looks at a file there gets no answer for as long.
    private final class DeadMount: Sendable {
        private let asked = Mutex(0), answer = DispatchSemaphore(value: 0)
        var questions: Int { asked.withLock(\.self) }

        func facts(_ path: String) throws(IngestError) -> FileFacts? {
            asked.withLock { $0 += 1 }
            answer.wait()
            return try FileFacts.of(path)
        }
        func answers() { answer.signal() }
    }

    /// Orders are taken back all the same, and the bytes of which nobody can say where else they are stay.
    @Test func aSourceThatNeverAnswersHoldsUpNoCancelling() async throws {
        let scene = try Scene(.card), ledger = try SQLiteLedger.inMemory(), mount = DeadMount(), clock = ManualClock()
        let digests = [scene.sha256, String(repeating: "0", count: 64)]
        let second = scene.place + "/staging/s0000000000000000-2.part", files = [scene.staged, second]
        try FileManager.default.copyItem(atPath: scene.staged, toPath: second)
        for (number, file) in files.enumerated() {
            let content = ContentKey(sha256: digests[number]), name = ["A", "B"][number]
            var origin = scene.origin
            origin.path = name + ".JPG"
            var asset = AssetRow(
                origin: origin, run: 1, kind: .jpeg, shot: ShotPlace(key: name, stem: name), at: Int64(number))
            (asset.content, asset.wanted, asset.ending) = (content, ["gallery"], .pending)
            var row = DeliveryRow(
                content: content, target: "gallery", targetName: "gallery",
                receipt: Receipt(state: .pending, at: Int64(number)), size: origin.size, path: origin.path)
            (row.file, row.staged) = (file, true)
            try await ledger.record([.asset(asset), .delivery(row)])
        }
        var cancellation = Cancellation(ledger)
        cancellation.clock = clock
        cancellation.facts = { path throws(IngestError) in try mount.facts(path) }
        var kept: Set<String> = []
        let orders = try await cancellation.orders()
        // The thread that asks may start late: no time passes before it has asked.
        let time = Task {
            while mount.questions == 0 { try await Task.sleep(for: .milliseconds(1)) }
            while !Task.isCancelled { await clock.passNext(OriginalCheck.patience) }
        }
        defer { time.cancel() }
        try await cancellation.carryOut(orders, .takenBack, ledger, DeliveryLeases()) {
            if case .kept(let file) = $1 { kept.insert(file) }
        }
        #expect(kept == Set(files) && scene.stagedFiles == 2)
        for digest in digests {
            #expect(try await ledger.deliveries(of: ContentKey(sha256: digest)).map(\.receipt.state) == [.excluded])
        }
        // The second one did not wait as long again, nor does whoever asks meanwhile.
        #expect(mount.questions == 1)
        #expect(await !OriginalCheck().isThereNow(scene.origin, scene.sha256))
        mount.answers()
        while OriginalCheck.isSilent(scene.origin.root) { await Task.yield() }
        #expect(await OriginalCheck().isThereNow(scene.origin, scene.sha256))
    }

    /// Whether the file is gone from there nobody can tell, and nobody waits for ever; what is beside it is not waited
    /// for, either.
    @Test func whatWasSetAsideAtASilentSourceIsAway() async throws {
        let scene = try Scene(.card), ledger = try SQLiteLedger.inMemory(), mount = DeadMount(), clock = ManualClock()
        let rows = ["A", "B"].map { name in
            var origin = scene.origin
            origin.path = name + ".JPG"
            var asset = AssetRow(origin: origin, run: 1, kind: .jpeg, shot: ShotPlace(key: name, stem: name), at: 1)
            asset.ending = .setAside
            return asset
        }
        var cancellation = Cancellation(ledger)
        cancellation.clock = clock
        cancellation.facts = { path throws(IngestError) in try mount.facts(path) }
        let time = Task {
            while mount.questions == 0 { try await Task.sleep(for: .milliseconds(1)) }
            while !Task.isCancelled { await clock.passNext(OriginalCheck.patience) }
        }
        defer { time.cancel() }
        let silent = try await cancellation.vanished(among: rows)
        #expect(silent.gone.isEmpty && silent.away.count == 2 && mount.questions == 1)
        // It looks at the folder, and then at the file.
        for _ in 1...2 { mount.answers() }
        while OriginalCheck.isSilent(scene.origin.root) { await Task.yield() }
        let found = try await Cancellation(ledger).vanished(among: rows)
        #expect(found.away.isEmpty && found.gone.map(\.origin.path) == ["B.JPG"])
    }

    // MARK: In a run

    private struct Gallery: UploadTarget {
        var traits: TargetTraits { TargetTraits(identity: "gallery") }
        func check() async throws(IngestError) {}
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt { Receipt(state: .done) }
    }

    /// Knows one mark, of every picture.
    private final class Marks: Ledger, LedgerStandIn {
        private let rows = RecordingLedger(), mark = Mutex(PictureMark())

        func reject() { mark.withLock { $0.pick = .rejected } }
        func state(_ content: ContentKey) -> Receipt.State? { rows.state(content.rawValue) }
        func marks(of sha256s: [String]) async throws(IngestError) -> [String: PictureMark] {
            let mark = mark.withLock(\.self)
            return Dictionary(uniqueKeysWithValues: sha256s.map { ($0, mark) })
        }
        func deliveries(of content: ContentKey) async throws(IngestError) -> [DeliveryRow] {
            try await rows.deliveries(of: content)
        }
        func record(_ changes: [LedgerChange]) async throws(IngestError) { try await rows.record(changes) }
        func beginRun(verb: String, event: String?, at: Int64) async throws(IngestError) -> Int64 { 1 }
        func sync() async throws(IngestError) {}
    }

    /// A run in which the frame waits until somebody picks it.
    private struct Waiting {
        let scheduler: DeliveryScheduler, ledger = Marks(), leases = DeliveryLeases(), id: Delivery.ID

        init(_ scene: Scene) async {
            let target = PlannedTarget(name: "gallery", target: Gallery(), workers: nil)
            scheduler = DeliveryScheduler(
                DeliverySchedulerSetup(
                    targets: [target], ledger: ledger, hub: EventHub(), statistics: RunStatistics(hub: EventHub()),
                    reservations: NameReservations(), budget: ByteBudget(limit: 1 << 20), run: 1, event: nil,
                    leases: leases))
            scheduler.introduce()
            let asset = Asset(origin: scene.origin, kind: .jpeg, shot: ShotPlace(key: "a", stem: "A"))
            let bytes = LocalFile(path: scene.staged, size: scene.origin.size, ownership: .staged)
            let job = UploadJob(
                asset: asset, file: bytes, digests: Digests(sha256: scene.sha256), path: "A.JPG", name: "A.JPG",
                values: TemplateValues())
            id = Delivery.ID(content: scene.content, target: target.identity)
            var delivery = Delivery(id: id, job: job, target: target, listeners: [asset.id])
            delivery.gate = MarkGate([MarkRule(picks: .only)], sha256: scene.sha256, camera: nil)
            await scheduler.submit(
                AssetDeliveries(
                    asset: asset, content: scene.content, wanted: [target], bytes: bytes, shot: ShotFacts(), budget: 0),
                deliveries: [delivery])
        }

        func end() async {
            await scheduler.drain(wait: .seconds(600))
            await scheduler.closeOut()
        }
    }

    @Test(arguments: Kind.allCases, [true, false])
    func cancellingInARunKeepsTheLastBytes(_ kind: Kind, _ isSwapped: Bool) async throws {
        let scene = try Scene(kind), run = await Waiting(scene)
        if isSwapped { try scene.swap() }
        // Not before the ledger knows that it waits.
        while await run.leases.cancel(run.id) != true { await Task.yield() }
        await run.end()
        #expect(run.ledger.state(scene.content) == .excluded)
        #expect(scene.stagedFiles == (isSwapped ? 1 : 0))
    }

    @Test(arguments: Kind.allCases, [true, false])
    func rejectingKeepsTheLastBytes(_ kind: Kind, _ isSwapped: Bool) async throws {
        let scene = try Scene(kind), run = await Waiting(scene)
        if isSwapped { try scene.swap() }
        run.ledger.reject()
        // Once more where the ledger did not know yet that it waits.
        for _ in 0..<200 where run.ledger.state(scene.content) != .excluded {
            await run.leases.marked([scene.sha256])
            try await Task.sleep(for: .milliseconds(2))
        }
        await run.end()
        #expect(run.ledger.state(scene.content) == (isSwapped ? .pending : .excluded))
        #expect(scene.stagedFiles == (isSwapped ? 1 : 0))
    }
}
