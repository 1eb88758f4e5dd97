import CameraTesting
import FilmgateCore
import PTPKit
import Testing
import VirtualCamera

@Suite struct RecordingTests {
    static let serial = "3110042017"

    /// A session over pipes with a virtual camera, as `cameras --record` has it.
    private func recorded() async throws -> Recording {
        var card = VirtualCard()
        for number in 1...3 {
            card.add(VirtualFile("IMG_\(number).JPG", .pattern(seed: UInt64(number), size: 9000)), in: "DCIM/100MEDIA")
        }
        let camera = VirtualCamera(StandardPersonality(), cards: [card])
        let recorder = Recorder(usb: USBIdentity(vendor: 0x46F4, product: 4))
        let body = PTPCamera(ObservedLink(BulkLink(VirtualBulkPipe(camera)), recorder))
        try await body.open()
        try await body.run { body throws(PTPError) in
            let objects = try StandardHandler().list(body)
            recorder.leaveOutContent(true)
            if let first = objects.first { try StandardFetch.fetch(first, 0..<first.size, body, into: MemorySink()) }
            recorder.leaveOutContent(false)
            body.close()
        }
        return recorder.recording
    }

    @Test func aRecordingSurvivesBeingWritten() async throws {
        let recording = try await recorded()
        #expect(recording.exchanges.count > 6)
        #expect(try Recording(text: recording.text) == recording)
    }

    @Test func aRecordingThatWentThroughAnotherSystemIsTheSame() async throws {
        let recording = try await recorded()
        #expect(
            try Recording(text: recording.text.split(separator: "\n").joined(separator: "\r\n") + "\r\n") == recording)
    }

    @Test func contentsOfFilesAreNotKept() async throws {
        let recording = try await recorded()
        let blank = recording.exchanges.compactMap { if case .blank(let count) = $0.payload { count } else { nil } }
        #expect(blank.reduce(0, +) == 9000)
    }

    @Test func aReplayAnswersAsTheCameraDid() async throws {
        let recording = try Recording(text: try await recorded().text), bus = ReplayBus(recording)
        let camera = PTPCamera(try bus.connector.open())
        try await camera.open()
        let names = try await camera.run { camera throws(PTPError) in try StandardHandler().list(camera).map(\.name) }
        #expect(names == ["IMG_1.JPG", "IMG_2.JPG", "IMG_3.JPG"])
        let sink = MemorySink()
        let count = try await camera.run { camera throws(PTPError) -> UInt64 in
            let first = try StandardHandler().list(camera)[0]
            try StandardFetch.fetch(first, 0..<first.size, camera, into: sink)
            return first.size
        }
        #expect(count == 9000)
        await camera.close()
        #expect(bus.connector.unanswered.operations == [])
    }

    @Test func whatWasNeverAskedIsRefusedAndTold() async throws {
        let bus = ReplayBus(try await recorded()), camera = PTPCamera(try bus.connector.open())
        try await camera.open()
        let error = await #expect(throws: PTPError.self) {
            try await camera.run { camera throws(PTPError) in _ = try camera.read(OperationCode(0x9123), 7) }
        }
        #expect(error?.refusal == .operationNotSupported)
        #expect(bus.connector.unanswered.operations == [Operation(OperationCode(0x9123), [7])])
        await camera.close()
    }

    @Test func failuresAndEventsAreReplayed() async throws {
        var recording = Recording()
        var opened = Recording.Exchange(Operation(.openSession, [1]))
        opened.response = .ok
        var broken = Recording.Exchange(Operation(.getDeviceInfo))
        broken.failure = "timedOut"
        recording.items = [.exchange(opened), .event(PTPEvent(.objectAdded, [5])), .exchange(broken)]
        let link = ReplayLink(try Recording(text: recording.text))
        try link.send(Operation(.openSession, [1]), transaction: 0, phase: .none, data: [], by: .after(.seconds(1)))
        #expect(link.eventQueue.take().events.map(\.code) == [.objectAdded])
        _ = try link.next(by: .after(.seconds(1)))
        try link.send(Operation(.getDeviceInfo), transaction: 1, phase: .receive, data: [], by: .after(.seconds(1)))
        #expect(throws: PTPError.self) { _ = try link.next(by: .after(.seconds(1))) }
    }

    @Test func serialNumbersAndAddressesAreScrubbed() {
        let scrubber = Scrubber(["000\(Self.serial)", "ab"])
        let wide = { (text: String) in text.utf8.flatMap { [$0, 0] as [UInt8] } }
        let narrow = Array("x\(Self.serial)y ab ann.b@example.org.".utf8)
        #expect(String(decoding: scrubber.scrubbed(narrow), as: UTF8.self) == "x1234567891y ab 123456789123456789")
        #expect(scrubber.scrubbed(wide("000\(Self.serial)")) == wide("1234567891234"))
        #expect(scrubber.scrubbed(wide("a@b")) == wide("123"))
        #expect(scrubber.scrubbed([0x40, 0x40, 0x00]).count == 3)
        #expect(scrubber.scrubbed([]) == [])
    }

    @Test(arguments: [
        "", "nothing", "filmgate recording 1\nask", "filmgate recording 1\nask 10001",
        "filmgate recording 1\nanswer 2001", "filmgate recording 1\nask 1001\ndata - 0",
        "filmgate recording 1\nask 1001\ndata x 00", "filmgate recording 1\nask 1001\ndata 1 0G",
        "filmgate recording 1\nask 1001 1 2 3 4 5 6 7", "filmgate recording 1\nusb 46F4",
        "filmgate recording 1\nwhat 1001", "filmgate recording 1\nask 1001\nfail two words",
        "filmgate recording 1\nask 1001\nfail a\rb",
    ]) func damagedRecordingsAreRefusedWithTheirLine(_ text: String) {
        #expect(throws: PTPError.self) { _ = try Recording(text: text) }
    }
}
