import CameraTesting
import FilmgateCore
import PTPKit
import Testing
import VirtualCamera

@testable import SonyCamera

@Suite struct SonyCameraTests {
    static let usb = USBIdentity(vendor: 0x054C, product: 0x0C34)
    static let card = CameraBench(SonyCamera.self, as: SonyPersonality(), usb: usb)
    static let live = CameraBench(SonyCamera.self, as: SonyPersonality(remote: true), usb: usb) { $0.remote = true }

    @Test(arguments: CameraConformance<SonyCamera>.all, CameraBench<SonyCamera>.Way.allCases)
    func conformanceOfTheCard(check: CameraCheck<SonyCamera>, way: CameraBench<SonyCamera>.Way) async throws {
        try await check.run(Self.card, way)
    }

    @Test(.enabled(if: ForeignClient.isInstalled))
    func aForeignClientDownloadsFromThePersonality() async throws { try await ForeignClient.check(SonyPersonality()) }

    @Test func pcRemoteIsEnteredOnlyWhenTheFileSaysSo() async throws {
        let bench = CameraBench(SonyCamera.self, as: SonyPersonality(remote: true), usb: Self.usb)
        do {
            try await bench.run(.network) { _ in Issue.record("opened") }
        } catch let error as IngestError {
            #expect(error.code == .accessDenied)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: CameraBench<SonyCamera>.Way.allCases)
    func aBurstComesFrameByFrameUnderOneHandle(way: CameraBench<SonyCamera>.Way) async throws {
        try await Self.live.run(way, files: []) { scene in
            _ = try await scene.session.entries()
            let arrivals = try await scene.session.arrivals()
            var iterator = arrivals.makeAsyncIterator()
            for number in 1...5 { scene.camera.shoot(CardFiles.shot(number, raw: "ARW")) }
            for number in 0..<10 {
                guard case .arrived(let entry) = await iterator.next() else {
                    throw Failed("frame \(number) did not come")
                }
                let bytes = try await scene.bytes(of: entry)
                #expect(bytes == scene.content(entry.origin.name)?.slice(at: 0, count: bytes.count))
                #expect(UInt64(bytes.count) == entry.origin.size)
            }
            #expect(scene.camera.withBody { $0[SonyBody.self].hung } == 0)
            #expect(
                !scene.camera.log.contains {
                    $0.operation.code == .getObject && $0.operation.parameters != [0xFFFF_C001]
                })
        }
    }
}

extension SonyCameraTests {
    @Test(.timeLimit(.minutes(5))) func aFrameToldAboutBeforeTheConnectionBrokeIsReadAfterwards() async throws {
        try await Self.live.run(.network, files: []) { scene in
            _ = try await scene.session.entries()
            let arrivals = try await scene.session.arrivals()
            var iterator = arrivals.makeAsyncIterator()
            scene.camera.shoot([VirtualFile("DSC00001.JPG", .pattern(seed: 5, size: 200_000))])
            guard case .arrived(let entry) = await iterator.next() else { throw Failed("the frame did not come") }
            scene.server?.breakConnections()
            let bytes = try await scene.bytes(of: entry)
            #expect(bytes == scene.content("DSC00001.JPG")?.slice(at: 0, count: 200_000))
        }
    }
}

/// Property lists as no body should write them.
@Suite struct SonyPropertiesTests {
    private func list(_ code: UInt16, value: UInt16, tail: [UInt8] = [0]) -> [UInt8] {
        var writer = ByteWriter()
        writer.put(UInt64(1))
        writer.put(code)
        writer.put(UInt16(4))
        writer.put(contentsOf: [0x83, 1, 0, 0])
        writer.put(value)
        writer.put(contentsOf: tail)
        return writer.bytes
    }

    @Test func theValueIsRead() throws {
        let bytes = list(0xD215, value: 0x8001)
        #expect(try SonyProperties.framesInMemory(bytes.span.bytes) == 0x8001)
    }

    @Test func aListWithoutItMeansNothingInMemory() throws {
        let bytes = list(0xD200, value: 1)
        #expect(try SonyProperties.framesInMemory(bytes.span.bytes) == 0)
    }

    @Test func listsThatLieAreRefused() {
        var many = list(0xD200, value: 1)
        many[0] = 255
        let overrun = list(0xD200, value: 1, tail: [2, 0xFF, 0xFF, 1, 0])
        for bytes in [many, overrun, Array(many.prefix(7)), []] {
            #expect(throws: PTPError.self) { try SonyProperties.framesInMemory(bytes.span.bytes) }
        }
    }

    @Test func everyPrefixIsReadWithoutTrapping() {
        let whole = list(0xD200, value: 1, tail: [2, 1, 0, 1, 0, 1, 0, 1, 0])
        for length in 0..<whole.count {
            let cut = Array(whole[..<length])
            _ = try? SonyProperties.framesInMemory(cut.span.bytes)
        }
    }
}
