import FilmgateCore
import GPhoto2Wire
import Logging
import Synchronization
import Testing

@testable import GPhoto2Source

@Suite struct GPhoto2SourceTests {
    let camera = ScriptedCamera()
    let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    func source(_ change: (inout GPhoto2Source.Config) -> Void = { _ in }) -> GPhoto2Source {
        var config = GPhoto2Source.Config()
        change(&config)
        return GPhoto2Source(
            config, ModuleContext(name: "gphoto2", logger: Logger(label: "test"), state: ""), connect: camera.connect)
    }

    typealias Session = WatchingSession & PartialListingSession & ResultHandlingSession & PreviewingSession

    func session(_ change: (inout GPhoto2Source.Config) -> Void = { _ in }) async throws -> any Session {
        let source = source(change)
        let session = try await source.open(try #require(try await source.places().first))
        return try #require(session as? any Session)
    }

    @Test func camerasAreFoundWithTheAddressThatOtherModulesGiveThem() async throws {
        camera.state.withLock {
            $0.cameras += [("Old One", "serial:/dev/ttyS0"), ("Mass Storage Camera", "disk:/media/card")]
        }
        let places = try await source().places()
        #expect(places.map(\.address) == ["usb://001/004", "gphoto2://serial:/dev/ttyS0"])
        #expect(places.map(\.label) == ["Body 5", "Old One"])
        #expect(camera.state.withLock { $0.open } == 0)
        #expect(try await source { $0.port = "disk:/media/card" }.places().map(\.label) == ["Mass Storage Camera"])
        await #expect(throws: IngestError.self) { _ = try await source { $0.port = "usb:009,009" }.places() }
    }

    @Test(arguments: ["usb:001,004", "serial:/dev/ttyS0", "ptpip:192.168.1.1", "usb:"]) func portsSurviveBeingAddresses(
        _ port: String
    ) {
        #expect(GPhotoPort.port(GPhotoPort.address(port)) == port)
    }

    @Test func filesAreListedShotByShotWithTheirFacts() async throws {
        camera.put("/store_00010001/DCIM/100BODY", "IMG_1.JPG", bytes)
        camera.put("/store_00010001/DCIM/100BODY", "IMG_2.JPG", bytes)
        camera.put("/store_00010001/DCIM/100BODY", "IMG_1.NEF", bytes)
        camera.put("/store_00010001/DCIM/../etc", "pass\u{0}wd", [])
        let session = try await session(), entries = try await session.entries()
        #expect(entries.count == 4)
        #expect(entries.prefix(2).map(\.shot.stem) == ["IMG_1", "IMG_1"])
        #expect(entries[0].origin.size == 10_000)
        #expect(entries[0].origin.modified == 1_700_000_000_000_000_000)
        #expect(session.volume == "gphoto2:Body 5:0042")
        #expect(entries.allSatisfy { !$0.origin.path.contains("..") && !$0.origin.path.contains("\u{0}") })
        if case .unreadable = entries[3].fate {} else { Issue.record("an empty file is taken") }
        await session.close()
        #expect(camera.state.withLock { $0.open } == 0)
    }

    @Test func aCameraWithoutACardSaysSo() async throws {
        let session = try await session()
        camera.state.withLock { $0.failure = IngestError(gphoto: GPhotoReply.noCard, "no card") }
        #expect(try await session.entries().isEmpty)
        let gap = await session.unlisted()
        #expect(gap?.code == .notFound && gap?.message.contains("no card") == true)
        camera.state.withLock { $0.failure = nil }
        _ = try await session.entries()
        #expect(await session.unlisted() == nil)
        await session.close()
    }

    @Test func aCrashInTheMiddleCostsNothingButTheProcess() async throws {
        camera.put("/DCIM", "IMG_1.JPG", bytes)
        let session = try await session(), entry = try #require(try await session.entries().first)
        camera.state.withLock { $0.crashes = [3000, 7000] }
        let sink = Received()
        try await session.fetch(entry.origin, from: 0, into: sink)
        #expect(sink.bytes == bytes)
        #expect(camera.state.withLock { $0.connections } == 4)
        let asked = camera.state.withLock { $0.asked }
        let offsets = asked.compactMap { if case .read(_, let offset) = $0 { offset } else { nil } }
        // Each new process reads from the beginning, and what had come is compared.
        #expect(offsets == [0, 0, 0])
        await session.close()
    }

    /// The camera came back with another card.
    @Test func anotherFileAfterACrashIsNotSewnOn() async throws {
        camera.put("/DCIM", "IMG_1.JPG", bytes)
        let session = try await session(), entry = try #require(try await session.entries().first), sink = Received()
        camera.state.withLock { state in
            state.crashes = [5000]
            state.onCrash = { $0.files[0].bytes[10] ^= 1 }
        }
        let failure = await #expect(throws: IngestError.self) {
            try await session.fetch(entry.origin, from: 0, into: sink)
        }
        #expect(failure?.cause is OtherBytes && sink.bytes == Array(bytes[..<5000]))
        await session.close()
    }

    @Test(arguments: ["", "0000", "0042"]) func aBodyWithoutANumberIsNotKnownAgain(_ serial: String) async throws {
        camera.state.withLock { $0.body.serial = serial }
        let session = try await session()
        #expect(session.traits.identifiesDevice == (serial == "0042"))
        await session.close()
    }

    @Test func aProcessThatKeepsDyingLosesTheCameraAndNothingElse() async throws {
        camera.put("/DCIM", "IMG_1.JPG", bytes)
        camera.put("/DCIM", "IMG_2.JPG", bytes)
        let session = try await session(), entries = try await session.entries()
        camera.state.withLock { $0.crashes = [0, 0, 0] }
        let failure = await #expect(throws: IngestError.self) {
            try await session.fetch(entries[0].origin, from: 0, into: Received())
        }
        #expect(failure?.code == .deviceGone)
        #expect(failure?.message.contains("signal 11") == true)
        let sink = Received()
        try await session.fetch(entries[1].origin, from: 4000, into: sink)
        #expect(sink.bytes == Array(bytes[4000...]))
    }

    @Test func filesOfOtherLengthThanAnnouncedAreNotBelieved() async throws {
        camera.put("/DCIM", "SHORT.JPG", bytes, size: 10_001)
        camera.put("/DCIM", "LONG.JPG", bytes, size: 9_999)
        let session = try await session()
        for entry in try await session.entries() {
            let failure = await #expect(throws: IngestError.self) {
                try await session.fetch(entry.origin, from: 0, into: Received())
            }
            #expect(failure?.code == .corruptData, "\(entry.origin.path)")
        }
    }

    @Test func aFileOfUnknownSizeIsCountedFirst() async throws {
        camera.put("/", "P1.JPG", bytes, size: GPhotoFile.unknownSize)
        let session = try await session(), entry = try #require(try await session.entries().first)
        #expect(entry.origin.size == 10_000)
        let sink = Received()
        try await session.fetch(entry.origin, from: 0, into: sink)
        #expect(sink.bytes == bytes)
    }

    /// The camera's own picture, asked again while its time is for other things.
    private func shown(_ entry: SourceEntry, _ session: any PreviewingSession, upTo limit: Int = 100_000) async throws
        -> [UInt8]?
    {
        for _ in 0..<1000 {
            do throws(IngestError) { return try await session.preview(of: entry.origin, upTo: limit) } catch {
                guard error.code == .unavailable else { throw error }
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        return nil
    }

    @Test func aFileIsShownBeforeItIsRead() async throws {
        for name in ["IMG_1.JPG", "IMG_2.JPG"] { camera.put("/DCIM", name, bytes) }
        camera.state.withLock { $0.previews["IMG_1.JPG"] = [0xFF, 0xD8, 1, 0xFF, 0xD9] }
        let session = try await session(), entries = try await session.entries()
        #expect(try await shown(entries[0], session) == [0xFF, 0xD8, 1, 0xFF, 0xD9])
        #expect(try await shown(entries[0], session, upTo: 4) == nil, "more than was asked for")
        #expect(try await shown(entries[1], session) == nil, "the camera has none")
        #expect(try await shown(entries[0], session) != nil, "that says nothing of others")
        let asked = camera.state.withLock { $0.asked }
        #expect(!asked.contains { if case .read = $0 { true } else { false } })
        await session.close()
    }

    /// Files would wait for it, and each further one would end the process once more.
    @Test func aPictureWithoutAnEndIsNotHeardOut() async throws {
        for name in ["IMG_1.JPG", "IMG_2.JPG"] { camera.put("/DCIM", name, bytes) }
        camera.state.withLock { state in
            (state.previews["IMG_1.JPG"], state.previews["IMG_2.JPG"]) = ([0xFF, 0xD8], [0xFF, 0xD8])
            state.endless = ["IMG_1.JPG"]
        }
        let session = try await session(), entries = try await session.entries()
        #expect(try await shown(entries[0], session, upTo: 100) == nil)
        #expect(try await shown(entries[1], session, upTo: 100) == nil)
        let asked = camera.state.withLock { $0.asked }
        #expect(asked.count { if case .show = $0 { true } else { false } } == 1)
        let sink = Received()
        try await session.fetch(entries[1].origin, from: 0, into: sink)
        #expect(sink.bytes == bytes)
        await session.close()
    }

    @Test func aProcessThatEndsAtAPictureIsNotAskedForAnother() async throws {
        for name in ["IMG_1.JPG", "IMG_2.JPG"] { camera.put("/DCIM", name, bytes) }
        camera.state.withLock { ($0.previews["IMG_2.JPG"], $0.crashes) = ([0xFF, 0xD8], [0]) }
        let session = try await session(), entries = try await session.entries()
        #expect(try await shown(entries[0], session) == nil)
        #expect(try await shown(entries[1], session) == nil)
        let asked = camera.state.withLock { $0.asked }
        #expect(asked.count { if case .show = $0 { true } else { false } } == 1)
        let sink = Received()
        try await session.fetch(entries[0].origin, from: 0, into: sink)
        #expect(sink.bytes == bytes)
        await session.close()
    }

    @Test func ourOwnFullDiskIsNotTheCamerasFault() async throws {
        camera.put("/DCIM", "IMG_1.JPG", bytes)
        let session = try await session(), entry = try #require(try await session.entries().first)
        let failure = await #expect(throws: IngestError.self) {
            try await session.fetch(entry.origin, from: 0, into: Received(limit: 2000))
        }
        #expect(failure?.code == .storageFull)
        #expect(camera.state.withLock { $0.connections } == 2)
    }

    @Test func whatIsShotMeanwhileArrivesOnce() async throws {
        let session = try await session()
        #expect(try await session.entries().isEmpty)
        let news = try await session.arrivals()
        camera.put("/DCIM", "IMG_9.JPG", bytes)
        let file = try #require(camera.state.withLock { $0.files.first?.file })
        camera.state.withLock { $0.news = [file, file] }
        for await item in news {
            guard case .arrived(let entry) = item else { continue }
            #expect(entry.origin.name == "IMG_9.JPG")
            break
        }
        await session.close()
    }

    private func end(_ entry: SourceEntry, _ ending: Ending, _ session: any ResultHandlingSession) {
        let asset = Asset(origin: entry.origin, kind: entry.kind, shot: entry.shot)
        session.settled(AssetResult(asset: asset, ending: ending))
    }

    /// A shoot of an evening leaves eight bytes for each file; what is pending can still be read.
    @Test func whatHasItsEndingIsForgottenAndNotToldTwice() async throws {
        for number in 1...50 { camera.put("/DCIM", "IMG_\(number).JPG", bytes) }
        let opened = try await session(), session = try #require(opened as? GPhotoSession)
        let entries = try await session.entries()
        for (number, entry) in entries.enumerated() { end(entry, number == 0 ? .pending : .delivered, session) }
        let before = session.known.withLock { $0.counts }
        #expect(before == (1, 50))
        let sink = Received()
        try await session.fetch(entries[0].origin, from: 0, into: sink)
        #expect(sink.bytes == bytes)
        let news = try await session.arrivals()
        camera.put("/DCIM", "IMG_51.JPG", bytes)
        camera.state.withLock { state in state.news = state.files.map(\.file) }
        for await item in news {
            guard case .arrived(let entry) = item else { continue }
            #expect(entry.origin.name == "IMG_51.JPG")
            break
        }
        let after = session.known.withLock { $0.counts }
        #expect(after == (2, 51))
        await session.close()
    }

    /// One that looks the same comes while the one before is still on its way to its targets.
    @Test func theEndingOfADatelessFileTakesNothingFromTheNext() throws {
        var known = GPhotoFiles()
        let path = GPhotoPath(folder: Array("/DCIM".utf8), name: Array("IMG_1.JPG".utf8))
        var origin = Origin(
            source: "gphoto2", volume: "v", root: "usb://001/004", path: "DCIM/IMG_1.JPG", size: 9, modified: 0)
        known.note(path, origin)
        known.settle(origin)
        #expect(known[origin] == path && known.isTold(origin))
        origin.modified = 1_700_000_000_000_000_000
        // Another file has taken the place of the dateless one.
        known.settle(origin)
        #expect(known[origin] == path && !known.isTold(origin))
        known.note(path, origin)
        known.settle(origin)
        #expect(known[origin] == nil && known.isTold(origin))
    }

    @Test(arguments: [
        (-53, "deviceBusy"), (-52, "deviceGone"), (-108, "notFound"), (-102, "corruptData"), (-6, "unreadable"),
        (-999, "unreadable"),
    ])
    func numbersBecomeCodes(_ number: Int32, _ code: String) {
        #expect(IngestError(gphoto: number, "words").code.rawValue == code)
    }
}
