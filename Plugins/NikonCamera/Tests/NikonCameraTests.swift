import CameraTesting
import FilmgateCore
import PTPKit
import Testing
import VirtualCamera

@testable import NikonCamera

@Suite struct NikonCameraTests {
    static let usb = USBIdentity(vendor: 0x04B0, product: 0x0450)
    static func bench(_ personality: NikonPersonality) -> CameraBench<NikonCamera> {
        CameraBench(NikonCamera.self, as: personality, usb: usb)
    }

    @Test(arguments: CameraConformance<NikonCamera>.all, CameraBench<NikonCamera>.Way.allCases)
    func conformance(check: CameraCheck<NikonCamera>, way: CameraBench<NikonCamera>.Way) async throws {
        try await check.run(Self.bench(NikonPersonality()), way)
    }

    @Test(arguments: CameraConformance<NikonCamera>.all)
    func conformanceOfAnOlderBody(check: CameraCheck<NikonCamera>) async throws {
        var personality = NikonPersonality(isOld: true)
        personality.usesChannel = false
        try await check.run(Self.bench(personality), .network)
    }

    @Test(.enabled(if: ForeignClient.isInstalled))
    func aForeignClientDownloadsFromThePersonality() async throws { try await ForeignClient.check(NikonPersonality()) }

    @Test func aListingCostsOneRequestForEachFile() async throws {
        let files = (1...300).map { ("", VirtualFile("DSC_\($0).JPG", .pattern(seed: UInt64($0), size: 100))) }
        try await Self.bench(NikonPersonality()).run(.network, files: files) { scene in
            let before = scene.camera.log.count, found = try await scene.session.entries().count
            #expect(found == 300)
            // And a few for stores and folders, and for a second look at the last files.
            #expect(scene.camera.log.count - before <= 300 + 16)
        }
    }

    @Test func filesMarkedForTransferAreStillRead() async throws {
        var personality = NikonPersonality()
        personality.refusesStandardReads = true
        try await Self.bench(personality).run(.network) { scene in
            let entries = try await scene.session.entries()
            let entry = try #require(entries.first)
            let bytes = try await scene.bytes(of: entry)
            #expect(UInt64(bytes.count) == entry.origin.size)
        }
    }

    @Test(.timeLimit(.minutes(5))) func aFrameThatGetsTheHandleOfADeletedOneArrives() async throws {
        try await Self.bench(NikonPersonality()).run(.network, files: []) { scene in
            _ = try await scene.session.entries()
            var arrivals = try await scene.session.arrivals().makeAsyncIterator()
            let first = try #require(
                scene.camera.shoot([VirtualFile("DSC_0001.JPG", .pattern(seed: 1, size: 1000))]).first)
            guard case .arrived = await arrivals.next() else { throw Failed("the first did not arrive") }
            scene.camera.withBody { body in
                body.post(PTPEvent(.objectRemoved, [first.handle.rawValue]))
                body.cards[0].change(first.handle) { object in
                    object.content = .pattern(seed: 2, size: 2000)
                    (object.info.size, object.info.modified) = (2000, "20260501T120100")
                }
                body.post(PTPEvent(.objectAdded, [first.handle.rawValue]))
            }
            guard case .arrived(let entry) = await arrivals.next() else { throw Failed("the second did not arrive") }
            #expect(entry.origin.size == 2000)
        }
    }

    @Test func pairingOperationsGoOnlyToBodiesThatListThem() async throws {
        try await Self.bench(NikonPersonality()).run(.network) { scene in
            _ = try await scene.session.entries()
            #expect(!scene.camera.log.contains { $0.operation.code == .nikonApplicationMode })
        }
        try await Self.bench(NikonPersonality().pairing(isPaired: true)).run(.network) { scene in
            await scene.session.close()
            let modes = scene.camera.log.filter { $0.operation.code == .nikonApplicationMode }.map(
                \.operation.parameters)
            #expect(modes == [[1], [0]])
        }
    }

    @Test func anUnpairedBodySaysSo() async throws {
        do {
            try await Self.bench(NikonPersonality().pairing(isPaired: false)).run(.network) { _ in
                Issue.record("opened")
            }
        } catch let error as IngestError {
            #expect(error.code == .accessDenied)
        }
    }

    @Test func aFileBeyondFourGigabytesIsReadAtItsEnd() async throws {
        let size: UInt64 = (5 << 30) + 3
        let file = VirtualFile("DSC_0001.MOV", .pattern(seed: 9, size: size))
        try await Self.bench(NikonPersonality()).run(.network, files: [("", file)]) { scene in
            let entries = try await scene.session.entries()
            let entry = try #require(entries.first)
            #expect(entry.origin.size == size)
            let tail = try await scene.bytes(of: entry, from: size - 5000)
            #expect(tail == file.content.slice(at: size - 5000, count: 5000))
        }
    }
}

/// Event queues as no body should write them.
@Suite struct NikonEventsTests {
    @Test(arguments: [[1], [255, 255], [1, 0, 2, 0x40, 1, 0, 0], [2, 0, 2, 0x40, 1, 0, 0, 0]] as [[UInt8]])
    func queuesThatCountMoreThanTheyHoldAreRefused(bytes: [UInt8]) {
        #expect(throws: PTPError.self) { try NikonEvents.plain(bytes.span.bytes) }
    }

    @Test(arguments: [[1], [255, 255, 0, 0], [1, 0, 0, 0, 2, 0x40, 6, 0], [1, 0, 0, 0, 2, 0x40, 1, 0]] as [[UInt8]])
    func extendedQueuesThatLieAreRefused(bytes: [UInt8]) {
        #expect(throws: PTPError.self) { try NikonEvents.extended(bytes.span.bytes) }
    }

    @Test func anEmptyAnswerIsNoNews() throws {
        let none: [UInt8] = []
        #expect(try NikonEvents.plain(none.span.bytes).isEmpty)
        #expect(try NikonEvents.extended(none.span.bytes).isEmpty)
    }

    @Test func eventsAreReadInOrder() throws {
        let bytes: [UInt8] = [2, 0, 0, 0, 2, 0x40, 1, 0, 9, 0, 0, 0, 0x0D, 0x40, 0, 0]
        #expect(try NikonEvents.extended(bytes.span.bytes).map(\.parameters) == [[9], []])
    }
}
