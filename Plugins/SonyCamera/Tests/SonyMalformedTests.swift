import CameraTesting
import FilmgateCore
import PTPKit
import Testing
import VirtualCamera

@testable import SonyCamera

/// Malformed cases of PC Remote mode (case 19), each through the whole module.
@Suite(.timeLimit(.minutes(5))) struct SonyMalformedTests {
    private static let frame = VirtualFile("DSC00001.ARW", .pattern(seed: 3, size: 70_000))

    private func bench(
        _ personality: any Personality, _ body: @escaping (CameraBench<SonyCamera>.Scene) async throws -> Void
    ) async throws {
        let bench = CameraBench(SonyCamera.self, as: personality, usb: SonyCameraTests.usb) { $0.remote = true }
        try await bench.run(.network, files: [], body)
    }

    /// The first frame that arrives, read.
    private func take(_ scene: CameraBench<SonyCamera>.Scene) async throws -> [UInt8] {
        var arrivals = try await scene.session.arrivals().makeAsyncIterator()
        guard case .arrived(let entry) = await arrivals.next() else { throw Failed("nothing arrived") }
        return try await scene.bytes(of: entry)
    }

    @Test func aPropertyListThatStaysEmptyTwentyTimesIsNoHang() async throws {
        try await bench(SpoiledPersonality(SonyPersonality(remote: true)).answering(0x9202) { _, _ in .data([]) }) {
            scene in
            #expect(scene.camera.log.filter { $0.operation.code == 0x9202 }.count == 20)
            scene.camera.shoot([Self.frame])
            let count = try await take(scene).count
            #expect(count == 70_000)
        }
    }

    @Test func aFrameThatIsNeverReadyIsNeverAskedFor() async throws {
        var personality = SonyPersonality(remote: true)
        personality.delay = .max
        try await bench(personality) { scene in
            _ = try await scene.session.entries()
            let arrivals = try await scene.session.arrivals()
            scene.camera.shoot([Self.frame])
            while scene.camera.log.filter({ $0.operation.code == .sonyProperties }).count < 8 {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(
                !scene.camera.log.contains { $0.operation.code == .getObjectInfo || $0.operation.code == .getObject })
            withExtendedLifetime(arrivals) {}
        }
    }

    @Test func aFrameWhoseInfoFailsIsAskedForAgain() async throws {
        try await bench(SonyPersonality(remote: true)) { scene in
            _ = try await scene.session.entries()
            scene.camera.add(Fault(.refuse(.generalError), on: .getObjectInfo, times: 2))
            scene.camera.shoot([Self.frame])
            let count = try await take(scene).count
            #expect(count == 70_000)
        }
    }

    @Test func tenHintsForOneFrameAreOneFile() async throws {
        try await bench(SonyPersonality(remote: true)) { scene in
            _ = try await scene.session.entries()
            var arrivals = try await scene.session.arrivals().makeAsyncIterator()
            scene.camera.shoot([Self.frame])
            scene.camera.withBody { body in
                for _ in 0..<10 { body.post(PTPEvent(0xC201, [SonyHandler.memory.rawValue])) }
            }
            guard case .arrived(let first) = await arrivals.next() else { throw Failed("nothing arrived") }
            _ = try await scene.bytes(of: first)
            scene.camera.shoot([VirtualFile("DSC00002.ARW", .pattern(seed: 4, size: 80_000))])
            guard case .arrived(let second) = await arrivals.next() else { throw Failed("nothing arrived") }
            #expect(second.origin.name == "DSC00002.ARW")
        }
    }

    @Test func eventsWithoutTheirParameterDoNoHarm() async throws {
        try await bench(SonyPersonality(remote: true)) { scene in
            _ = try await scene.session.entries()
            scene.camera.withBody { body in
                for code in [0xC201, 0xC202, 0xC203] as [EventCode] { body.post(PTPEvent(code, [])) }
            }
            scene.camera.shoot([Self.frame])
            let count = try await take(scene).count
            #expect(count == 70_000)
        }
    }

    @Test func aFrameSmallerThanItsInfoSaysIsNoWholeFile() async throws {
        let personality = SpoiledPersonality(SonyPersonality(remote: true)).answering(.getObject) { _, body in
            body[SonyBody.self].frames.first.map {
                Answer(.ok, payload: .part($0.content, offset: 0, count: $0.size - 1))
            }
        }
        try await bench(personality) { scene in
            _ = try await scene.session.entries()
            scene.camera.shoot([Self.frame])
            await #expect(throws: IngestError.self) { _ = try await take(scene) }
        }
    }

    @Test func aBodyThatHasAnotherSessionSaysSo() async {
        await #expect(throws: IngestError.self) {
            let busy = SpoiledPersonality(SonyPersonality(remote: true)).answering(.openSession) { _, _ in
                Answer(0xA101)
            }
            try await bench(busy) { _ in Issue.record("was let in") }
        }
    }

    @Test(arguments: [0x1FF, 0x200, 0xFFFF] as [UInt16])
    func secondListsOfAnyLengthAreReadOrRefused(count: UInt16) {
        var writer = ByteWriter()
        writer.put(UInt64(2))
        writer.put(contentsOf: [0x22, 0xD2, 4, 0, 1, 1, 0, 0, 1, 0, 2, 1, 0, 1, 0])
        writer.put(count)
        writer.put(contentsOf: [UInt8](repeating: 1, count: 12))
        _ = try? SonyProperties.framesInMemory(writer.bytes.span.bytes)
    }
}
