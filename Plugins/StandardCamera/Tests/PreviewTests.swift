import CameraTesting
import Dispatch
import FilmgateCore
import PTPKit
import StandardCamera
import Synchronization
import Testing
import VirtualCamera

/// A file is shown small before it is read, and never at the cost of one that is being read.
@Suite(.timeLimit(.minutes(5))) struct PreviewTests {
    private static let bench = CameraBench(
        StandardCamera.self, as: StandardPersonality(), usb: USBIdentity(vendor: 0x1234, product: 1))
    private static let limit = 256 << 10

    private func preview(
        _ entry: SourceEntry, _ session: any PreviewingSession, upTo limit: Int = Self.limit
    ) async -> Result<[UInt8]?, IngestError> {
        await Result { () async throws(IngestError) -> [UInt8]? in
            try await session.preview(of: entry.origin, upTo: limit)
        }
    }

    private func asked(_ camera: VirtualCamera) -> Int {
        camera.log.count { $0.operation.code == .getThumb }
    }

    @Test(arguments: CameraBench<StandardCamera>.Way.allCases)
    func aListedFileIsShownBeforeItIsRead(_ way: CameraBench<StandardCamera>.Way) async throws {
        try await Self.bench.run(way) { scene in
            let entry = try #require(try await scene.session.entries().first { $0.kind == .jpeg })
            let picture = try #require(try await preview(entry, scene.session).get())
            #expect(picture.starts(with: [0xFF, 0xD8, 0xFF, 0xFE]) && picture.suffix(2) == [0xFF, 0xD9])
            #expect(picture.dropFirst(6).starts(with: Array(entry.origin.name.utf8)), "it is another file's")
            #expect(
                !scene.camera.log.contains { [OperationCode.getObject, .getPartialObject].contains($0.operation.code) })
        }
    }

    @Test func whatHasNoneSaysNothingOfOthers() async throws {
        try await Self.bench.run(.network) { scene in
            let entries = try await scene.session.entries()
            let sidecar = try #require(entries.first { $0.kind == .sidecar })
            #expect(try await preview(sidecar, scene.session).get() == nil)
            #expect(asked(scene.camera) == 1)
            let picture = try #require(entries.first { $0.kind == .jpeg })
            #expect(try await preview(picture, scene.session).get() != nil)
        }
    }

    @Test func oneThatIsTooLargeIsNoneAndCostsNoConnection() async throws {
        try await Self.bench.run(.network) { scene in
            let entry = try #require(try await scene.session.entries().first { $0.kind == .jpeg })
            #expect(try await preview(entry, scene.session, upTo: 100).get() == nil)
            let bytes = try await scene.bytes(of: entry)
            #expect(UInt64(bytes.count) == entry.origin.size)
            #expect(scene.camera.log.count { $0.operation.code == .openSession } == 1)
        }
    }

    @Test func aBusyCameraIsAskedAgainLaterAndNotWaitedFor() async throws {
        try await Self.bench.run(.network) { scene in
            let entry = try #require(try await scene.session.entries().first { $0.kind == .jpeg })
            scene.camera.add(Fault(.refuse(.deviceBusy), on: .getThumb))
            let first = await preview(entry, scene.session)
            guard case .failure(let error) = first else { throw Failed("a busy camera gave a picture") }
            #expect(error.code == .unavailable && asked(scene.camera) == 1)
            #expect(try await preview(entry, scene.session).get() != nil)
        }
    }

    /// Its files come all the same.
    @Test func aBodyThatIsSilentAtTheQuestionIsNotAskedAgain() async throws {
        try await Self.bench.run(.network) { scene in
            let entry = try #require(try await scene.session.entries().first { $0.kind == .jpeg })
            scene.camera.add(Fault(.stall, on: .getThumb, times: .max))
            #expect(try await preview(entry, scene.session).get() == nil)
            #expect(try await preview(entry, scene.session).get() == nil)
            #expect(asked(scene.camera) == 1)
            let bytes = try await scene.bytes(of: entry)
            #expect(UInt64(bytes.count) == entry.origin.size)
        }
    }

    /// What comes of it later is nothing that a file's bytes could be looked for in.
    @Test func aPictureThatHaltsHalfwayCostsNoConnection() async throws {
        try await Self.bench.run(.bus) { scene in
            let entry = try #require(try await scene.session.entries().first { $0.kind == .jpeg })
            scene.camera.add(Fault(.halt(after: 300), on: .getThumb))
            #expect(try await preview(entry, scene.session).get() == nil)
            let bytes = try await scene.bytes(of: entry)
            #expect(UInt64(bytes.count) == entry.origin.size)
            #expect(scene.camera.log.count { $0.operation.code == .openSession } == 1)
        }
    }

    @Test(arguments: CameraBench<StandardCamera>.Way.allCases)
    func aBodyThatHangsUpAtTheQuestionIsNotAskedAgain(_ way: CameraBench<StandardCamera>.Way) async throws {
        try await Self.bench.run(way) { scene in
            let entry = try #require(try await scene.session.entries().first { $0.kind == .jpeg })
            scene.camera.add(Fault(.drop(after: 0), on: .getThumb, times: .max))
            #expect(try await preview(entry, scene.session).get() == nil)
            #expect(try await preview(entry, scene.session).get() == nil)
            #expect(asked(scene.camera) == 1)
            let bytes = try await scene.bytes(of: entry)
            #expect(UInt64(bytes.count) == entry.origin.size)
            // Also over the connection that came after.
            #expect(try await preview(entry, scene.session).get() == nil && asked(scene.camera) == 1)
        }
    }

    @Test func whatWasNotListedIsNotAskedFor() async throws {
        try await Self.bench.run(.network) { scene in
            var entry = try #require(try await scene.session.entries().first { $0.kind == .jpeg })
            entry.origin.size += 1
            guard case .failure(let error) = await preview(entry, scene.session) else {
                throw Failed("another file is shown")
            }
            #expect(error.code == .unavailable && asked(scene.camera) == 0)
        }
    }

    // MARK: Another card

    private static let shot = VirtualFile("IMG_0001.JPG", .pattern(seed: 1, size: 1000))

    /// Another card, whose file has the handle that the one before it had.
    private func change(_ camera: VirtualCamera, to file: VirtualFile, label: String = "SD") {
        camera.pullCards()
        var card = VirtualCard()
        card.info.label = label
        card.add(file)
        camera.insert(card)
    }

    /// Nobody has heard yet that the card was changed.
    @Test(arguments: [
        ("IMG_0002.JPG", 1000, "20260501T120000", "SD"), ("IMG_0001.JPG", 1001, "20260501T120000", "SD"),
        ("IMG_0001.JPG", 1000, "20260501T120007", "SD"), ("IMG_0001.JPG", 1000, "20260501T120000", "OTHER"),
    ]) func aFrameOfAnotherCardIsNotShown(_ name: String, _ size: UInt64, _ date: String, _ label: String) async throws
    {
        try await Self.bench.run(.network, files: [("", Self.shot)]) { scene in
            let entry = try #require(try await scene.session.entries().first)
            change(scene.camera, to: VirtualFile(name, .pattern(seed: 2, size: size), date: date), label: label)
            #expect(try await preview(entry, scene.session).get() == nil)
            #expect(asked(scene.camera) == 1, "the handle is another one's on that card, or was not asked")
        }
    }

    @Test func theSameCardIsShownAgain() async throws {
        try await Self.bench.run(.network, files: [("", Self.shot)]) { scene in
            let entry = try #require(try await scene.session.entries().first)
            for card in scene.camera.pullCards() { scene.camera.insert(card) }
            #expect(try await preview(entry, scene.session).get() != nil)
        }
    }

    /// Waits for the first file that arrives.
    private func arrival(_ arrivals: AsyncStream<SourceNews>) async -> SourceEntry? {
        for await news in arrivals { if case .arrived(let entry) = news { return entry } }
        return nil
    }

    /// Once it is heard, no picture is asked for, and none of the other card's bytes come for a file of this one, however
    /// equal their sizes.
    @Test func aChangedCardTakesItsHandlesWithIt() async throws {
        try await Self.bench.run(.network, files: [("", Self.shot)]) { scene in
            let entry = try #require(try await scene.session.entries().first)
            let arrivals = try await scene.session.arrivals()
            change(scene.camera, to: VirtualFile("IMG_0002.JPG", .pattern(seed: 2, size: 1000)))
            let other = try #require(await arrival(arrivals))
            #expect(other.origin.name == "IMG_0002.JPG")
            guard case .failure(let error) = await preview(entry, scene.session) else { throw Failed("it is shown") }
            #expect(error.code == .unavailable && asked(scene.camera) == 0)
            let sink = MemorySink()
            await #expect(throws: IngestError.self) {
                try await scene.session.fetch(entry.origin, from: 0, into: sink)
            }
            #expect(sink.bytes.isEmpty, "the file of another card was read for it")
            #expect(try await scene.bytes(of: other).count == 1000)
        }
    }

    /// A card in the other slot changes nothing of what lies in this one.
    @Test func aCardBesideItChangesNothing() async throws {
        try await Self.bench.run(.network, files: [("", Self.shot)]) { scene in
            let entry = try #require(try await scene.session.entries().first)
            let arrivals = try await scene.session.arrivals()
            var card = VirtualCard(storage: StorageID(0x0002_0001), firstHandle: 100)
            card.add(VirtualFile("IMG_0002.JPG", .pattern(seed: 2, size: 1000)))
            scene.camera.insert(card)
            let other = try #require(await arrival(arrivals))
            #expect(other.origin.name == "IMG_0002.JPG")
            let picture = try #require(try await preview(entry, scene.session).get())
            #expect(picture.dropFirst(6).starts(with: Array(entry.origin.name.utf8)))
            #expect(try await scene.bytes(of: entry) == Self.shot.content.slice(at: 0, count: 1000))
        }
    }

    // MARK: The files first

    /// A file that is on its way is not held up, in the middle of it or otherwise.
    @Test func aFileOnItsWayGoesFirst() async throws {
        try await Self.bench.run(.network) { scene in
            let entries = try await scene.session.entries(), session = scene.session
            let clip = try #require(entries.first { $0.kind == .video })
            let picture = try #require(entries.first { $0.kind == .jpeg }), sink = HeldSink()
            let reading = Task {
                await Result { () async throws(IngestError) in
                    try await session.fetch(clip.origin, from: 0, into: sink)
                }
            }
            while !sink.isReached { try await Task.sleep(for: .milliseconds(5)) }
            let showing = Task { await preview(picture, session) }
            try await Task.sleep(for: .milliseconds(200))
            #expect(asked(scene.camera) == 0)
            sink.letGo()
            try await reading.value.get()
            #expect(try await showing.value.get() != nil)
            let last = scene.camera.log.lastIndex { $0.operation.code == .getPartialObject }
            let shown = scene.camera.log.firstIndex { $0.operation.code == .getThumb }
            #expect(try #require(shown) > #require(last), "it came in the middle of a file")
        }
    }

    /// A listing that a picture stood behind is none of the picture's time.
    @Test func whatOthersTookIsNotPausedFor() async throws {
        let files = (1...400).map { number in
            (folder: "", file: VirtualFile("IMG_\(1000 + number).JPG", .pattern(seed: 1, size: 1000)))
        }
        try await Self.bench.run(.network, files: files) { scene in
            let entries = try await scene.session.entries(), session = scene.session
            let one = try #require(entries.first), other = try #require(entries.last), before = scene.camera.log.count
            scene.camera.add(Fault(.dribble, on: .getObjectInfo, times: files.count))
            let listing = Task { await Result { () async throws(IngestError) in try await session.entries() } }
            while scene.camera.log.count < before + 2 { try await Task.sleep(for: .milliseconds(1)) }
            #expect(try await preview(one, session).get() != nil)
            // A pause of nineteen such listings would be too long to wait for.
            #expect(try await preview(other, session).get() != nil)
            #expect(try await listing.value.get().count == files.count)
        }
    }

    /// Several seconds are no reason to begin at the end of the line again: where every file takes so long, no picture
    /// would ever come.
    @Test func aPictureKeepsItsPlaceHoweverLongAFileTakes() async throws {
        try await Self.bench.run(.network) { scene in
            let entries = try await scene.session.entries(), session = scene.session
            let files = [MediaKind.video, .raw].compactMap { kind in entries.first { $0.kind == kind } }
            let sinks = [HeldSink(), HeldSink()]
            try #require(files.count == 2)
            let reading = zip(files, sinks).map { entry, sink in
                Task {
                    await Result { () async throws(IngestError) in
                        try await session.fetch(entry.origin, from: 0, into: sink)
                    }
                }
            }
            while !sinks.contains(where: \.isReached) { try await Task.sleep(for: .milliseconds(5)) }
            // The other one stands in line by now.
            try await Task.sleep(for: .milliseconds(200))
            let picture = try #require(entries.first { $0.kind == .jpeg })
            let showing = Task { await preview(picture, session) }
            try await Task.sleep(for: .seconds(6))
            #expect(asked(scene.camera) == 0)
            for sink in sinks { sink.letGo() }
            #expect(try await showing.value.get() != nil, "it gave its place up")
            for task in reading { try await task.value.get() }
        }
    }

    /// Who does not look any more holds nothing up.
    @Test func whoStopsAskingLeavesTheLine() async throws {
        try await Self.bench.run(.network) { scene in
            let entries = try await scene.session.entries(), session = scene.session, sink = HeldSink()
            let clip = try #require(entries.first { $0.kind == .video })
            let picture = try #require(entries.first { $0.kind == .jpeg })
            let reading = Task {
                await Result { () async throws(IngestError) in
                    try await session.fetch(clip.origin, from: 0, into: sink)
                }
            }
            while !sink.isReached { try await Task.sleep(for: .milliseconds(5)) }
            let showing = Task { await preview(picture, session) }
            try await Task.sleep(for: .milliseconds(200))
            showing.cancel()
            guard case .failure(let error) = await showing.value else { throw Failed("it was shown all the same") }
            #expect(error.code == .unavailable && asked(scene.camera) == 0)
            sink.letGo()
            try await reading.value.get()
        }
    }

    /// However many are wanted, most of the time is the files'.
    @Test func pauseIsManyTimesAsLongAsOneTook() async throws {
        try await Self.bench.run(.network) { scene in
            let entries = try await scene.session.entries().filter { !$0.kind.follows }, clock = ContinuousClock()
            let one = try #require(entries.first), other = try #require(entries.last), begun = clock.now
            scene.camera.add(Fault(.dribble, on: .getThumb))
            #expect(try await preview(one, scene.session).get() != nil)
            let first = clock.now - begun, again = clock.now
            #expect(try await preview(other, scene.session).get() != nil)
            #expect(clock.now - again >= first * 5, "after \(first)")
        }
    }
}

/// Holds the first bytes up until it is told to go on.
private final class HeldSink: ByteSink {
    private struct State { var isReached = false, isOpen = false }
    private let gate = DispatchSemaphore(value: 0), state = Mutex(State())
    var isReached: Bool { state.withLock(\.isReached) }

    func write(_ bytes: RawSpan) throws(IngestError) {
        let isOpen = state.withLock { state in
            state.isReached = true
            return state.isOpen
        }
        if !isOpen { gate.wait() }
    }

    func letGo() {
        state.withLock { $0.isOpen = true }
        gate.signal()
    }
}
