import CameraTesting
import FilmgateCore
import PTPKit
import StandardCamera
import Testing
import VirtualCamera

/// A run that is stopped, or may wait for so long only, does not sit beside a camera that has fallen asleep.
@Suite(.timeLimit(.minutes(5))) struct PatienceTests {
    private static let bench = CameraBench(
        StandardCamera.self, as: StandardPersonality(), usb: USBIdentity(vendor: 0x1234, product: 1))

    @Test(arguments: [Duration.zero, .milliseconds(300)]) func aSilentCameraIsGivenUp(patience: Duration) async throws {
        try await Self.bench.run(.network) { scene in
            let entry = try #require(try await scene.session.entries().first)
            scene.camera.add(Fault(.stall, times: .max))
            let count = scene.camera.log.count, session = scene.session
            let reading = Task {
                await Result { () async throws(IngestError) in try await session.fetch(entry.origin, from: 0, into: MemorySink()) }
            }
            while scene.camera.log.count == count { try await Task.sleep(for: .milliseconds(5)) }
            session.expectAnswers(within: patience)
            guard case .failure(let error) = await reading.value else { throw Failed("bytes came from a sleeping camera") }
            #expect(error.code == .deviceGone)
            // Nobody has tried to come back to it.
            #expect(scene.camera.log.count { $0.operation.code == .openSession } == 1)
            await session.close()
        }
    }

    @Test func aCameraThatAnswersIsWaitedFor() async throws {
        try await Self.bench.run(.network) { scene in
            scene.session.expectAnswers(within: .seconds(5))
            for entry in try await scene.session.entries() {
                let bytes = try await scene.bytes(of: entry)
                #expect(UInt64(bytes.count) == entry.origin.size)
            }
        }
    }
}
