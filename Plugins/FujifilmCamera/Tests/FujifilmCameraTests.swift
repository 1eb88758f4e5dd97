import CameraTesting
import FilmgateCore
import PTPKit
import Testing
import VirtualCamera

@testable import FujifilmCamera

@Suite struct FujifilmCameraTests {
    static let usb = USBIdentity(vendor: 0x04CB, product: 0x02D0)
    static let wireless = CameraBench(FujifilmCamera.self, as: FujifilmPersonality(), usb: usb)
    static let wired = CameraBench(FujifilmCamera.self, as: FujifilmPersonality(isWireless: false), usb: usb)

    @Test(arguments: CameraConformance<FujifilmCamera>.all)
    func conformanceOverWiFi(check: CameraCheck<FujifilmCamera>) async throws {
        try await check.run(Self.wireless, .network)
    }

    @Test(arguments: CameraConformance<FujifilmCamera>.all)
    func conformanceOverUSB(check: CameraCheck<FujifilmCamera>) async throws { try await check.run(Self.wired, .bus) }

    @Test(.enabled(if: ForeignClient.isInstalled))
    func aForeignClientDownloadsFromTheWiredPersonality() async throws {
        try await ForeignClient.check(FujifilmPersonality(isWireless: false).reliable)
    }

    /// The client's transport for this make knows only the make's own ports, so the body gets an address of its own.
    @Test(.enabled(if: ForeignClient.isInstalled))
    func aForeignClientSpeaksTheAppsDialect() async throws {
        var personality = FujifilmPersonality()
        personality.isPatient = true
        try await ForeignClient.check(personality, model: "Fuji X (WLAN)", port: "ptpip:127.0.0.55") {
            camera throws(PTPError) in
            try camera.personality.serve(camera, address: "127.0.0.55", port: 55740)
        }
    }

    @Test func sizesAreAskedForInFullAndTheBodyIsLeftAsItWas() async throws {
        try await Self.wireless.run(.network) { scene in
            let entries = try await scene.session.entries()
            #expect(entries.contains { $0.origin.size > 102_400 })
            await scene.session.close()
            let values = scene.camera.log.filter {
                $0.operation == Operation(.setDevicePropValue, [UInt32(FujiProperty.fullSizes)])
            }
            #expect(values.first?.data == [1, 0] && values.last?.data == [0, 0])
        }
    }

    /// The X-A2 and others of its time.
    @Test(arguments: [UInt32.max, nil]) func aBodyWithoutAVersionIsTaken(version: UInt32?) async throws {
        var personality = FujifilmPersonality()
        personality.version = version
        try await CameraBench(FujifilmCamera.self, as: personality, usb: Self.usb).run(.network) { scene in
            let entry = try #require(try await scene.session.entries().first { $0.origin.size > 102_400 })
            #expect(try await scene.bytes(of: entry).count == entry.origin.size)
        }
    }

    /// It would be delivered cut, as if it were whole.
    @Test func aFileThatIsLongerThanTheBodySaysIsNoWholeFile() async throws {
        var personality = FujifilmPersonality()
        personality.insistsOnPreviewSizes = true
        try await CameraBench(FujifilmCamera.self, as: personality, usb: Self.usb).run(.network) { scene in
            let entry = try #require(try await scene.session.entries().first { $0.origin.size == 102_400 })
            let failure = await #expect(throws: IngestError.self) { _ = try await scene.bytes(of: entry) }
            #expect(
                failure?.code == .corruptData && failure?.message.contains("holds more") == true,
                "\(failure?.message ?? "")")
        }
    }

    @Test func partsAreNeverAskedForOverUSB() async throws {
        try await Self.wired.run(.bus) { scene in
            for entry in try await scene.session.entries() {
                _ = try await scene.bytes(of: entry, from: entry.origin.size / 2)
            }
            #expect(!scene.camera.log.contains { $0.operation.code == .getPartialObject })
        }
    }

    /// Newer bodies hang at that question.
    @Test func overWiFiNoFileIsShownBeforeItIsRead() async throws {
        try await Self.wireless.run(.network) { scene in
            let entry = try #require(try await scene.session.entries().first { $0.kind == .jpeg })
            #expect(try await scene.session.preview(of: entry.origin, upTo: 256 << 10) == nil)
            #expect(!scene.camera.log.contains { $0.operation.code == .getThumb })
        }
    }

    @Test(.timeLimit(.minutes(5))) func selectedFramesComeOneByOneUnderOneNumber() async throws {
        var personality = FujifilmPersonality()
        personality.givesOneByOne = true
        let bench = CameraBench(FujifilmCamera.self, as: personality, usb: Self.usb)
        try await bench.run(.network) { scene in
            let first = try #require(try await scene.session.entries().first)
            var arrivals = try await scene.session.arrivals().makeAsyncIterator()
            var entry = first
            for number in 1...CardFiles.few.count {
                let bytes = try await scene.bytes(of: entry)
                #expect(bytes == scene.content(entry.origin.name)?.slice(at: 0, count: bytes.count))
                guard number < CardFiles.few.count, case .arrived(let next) = await arrivals.next() else { break }
                entry = next
            }
            #expect(scene.camera.withBody { $0[FujiBody.self].taken } == CardFiles.few.count)
        }
    }
}

/// Malformed cases of the dialect (case 20).
@Suite struct FujiMalformedTests {
    private func rig(_ personality: FujifilmPersonality = FujifilmPersonality(), _ faults: Fault...) async throws -> (
        FujiResponder, PTPCamera
    ) {
        var card = VirtualCard()
        card.add(VirtualFile("DSCF0001.JPG", .pattern(seed: 1, size: 3 << 20)))
        let responder = try FujiResponder(
            VirtualCamera(personality, cards: [card], faults: faults), address: "127.0.0.1", port: 0)
        let link = try FujiCameraConnector(
            host: "127.0.0.1", port: responder.port, identity: .init(guid: [1], name: "test")
        ).open()
        return (responder, PTPCamera(link))
    }

    private func changes(_ bytes: [UInt8]) throws(PTPError) -> [UInt16: UInt32] {
        try FujiDialect.changes(bytes.span.bytes)
    }

    @Test func aListOfChangesThatCountsMoreThanItHoldsIsRefused() throws {
        #expect(throws: PTPError.self) { try changes([2, 0, 0, 0xDF, 2, 0, 0, 0]) }
        #expect(throws: PTPError.self) { try changes([0xFF, 0xFF]) }
        #expect(throws: PTPError.self) { try changes([1]) }
        #expect(try changes([]) == [:])
        #expect(try changes([1, 0, 0, 0xDF, 2, 0, 0, 0, 9, 9]) == [0xDF00: 2])
    }

    @Test func aStateThatNeverLeavesWaitingIsDenied() async throws {
        var personality = FujifilmPersonality()
        personality.hesitation = .max
        let (responder, camera) = try await rig(personality)
        defer { responder.stop() }
        try await camera.open()
        do throws(PTPError) {
            try await camera.run { camera throws(PTPError) in
                try FujiDialect.enter(camera, waiting: .milliseconds(300))
            }
            Issue.record("was let in")
        } catch { if case .denied = error {} else { Issue.record("\(error)") } }
        await camera.close()
    }

    @Test func anUnexpectedGoodbyeIsTheEnd() async throws {
        let (responder, camera) = try await rig(FujifilmPersonality(), Fault(.goodbye, on: .getPartialObject))
        defer { responder.stop() }
        try await camera.open()
        do throws(PTPError) {
            _ = try await camera.run { camera throws(PTPError) in try camera.read(.getPartialObject, 1, 0, 1000) }
            Issue.record("was answered")
        } catch { if case .gone = error {} else { Issue.record("\(error)") } }
        #expect(await camera.failure != nil)
    }

    @Test func aSecondAnswerToTheGreetingIsSkipped() async throws {
        let (responder, camera) = try await rig(FujifilmPersonality(), Fault(.noise, on: .getDevicePropValue))
        defer { responder.stop() }
        try await camera.open()
        try await camera.run { camera throws(PTPError) in try FujiDialect.enter(camera, waiting: .seconds(5)) }
        await camera.close()
    }

    @Test(.timeLimit(.minutes(5))) func aShortPartInTheMiddleIsAskedOnAndFewerBytesThanPromisedFail() async throws {
        let bench = CameraBench(FujifilmCamera.self, as: FujifilmPersonality(), usb: FujifilmCameraTests.usb)
        try await bench.run(.network) { scene in
            let entries = try await scene.session.entries()
            let clip = try #require(entries.first { $0.kind == .video })
            scene.camera.add(Fault(.short(by: 500_000), on: .getPartialObject, skip: 1))
            let bytes = try await scene.bytes(of: clip)
            #expect(bytes == scene.content(clip.origin.name)?.slice(at: 0, count: Int(clip.origin.size)))
        }
    }

    @Test(.timeLimit(.minutes(5))) func aCountThatGoesDownMeansListAgain() async throws {
        try await FujifilmCameraTests.wireless.run(.network) { scene in
            _ = try await scene.session.entries()
            var arrivals = try await scene.session.arrivals().makeAsyncIterator()
            scene.camera.withBody { body in
                for file in body.cards[0].files.prefix(2) { body.cards[0].remove(file.handle) }
            }
            scene.camera.shoot([VirtualFile("DSCF0099.JPG", .pattern(seed: 3, size: 1234))])
            guard case .arrived(let entry) = await arrivals.next() else { throw Failed("nothing arrived") }
            #expect(entry.origin.name == "DSCF0099.JPG")
        }
    }

    @Test func greetingsOfAllLengths() throws {
        let whole = FujiHandshake.answer(model: "X-T4", guid: [UInt8](repeating: 1, count: 16))
        #expect(whole.count == FujiHandshake.answerSize)
        for length in 0...whole.count { _ = try? FujiHandshake.name(Array(whole[..<length]).span.bytes) }
        #expect(try FujiHandshake.name(whole.span.bytes) == "X-T4")
        #expect(
            FujiHandshake.request(.init(guid: [1], name: String(repeating: "n", count: 80))).count
                == FujiHandshake.requestSize)
    }
}
