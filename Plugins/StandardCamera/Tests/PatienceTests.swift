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

    /// What is said of it, and that it is not asked four times for a part that it never gives.
    @Test func aPartThatNeverComesIsAskedForTwiceAndNamedMeanwhile() async throws {
        let bench = CameraBench(
            HastyCamera.self, as: StandardPersonality(), usb: USBIdentity(vendor: 0x1234, product: 1))
        try await bench.run(.network) { scene in
            let entry = try #require(try await scene.session.entries().first), session = scene.session
            #expect(session.unanswered == nil)
            scene.camera.add(Fault(.stall, on: .getPartialObject, times: .max))
            let reading = Task {
                await Result { () async throws(IngestError) in
                    try await session.fetch(entry.origin, from: 0, into: MemorySink())
                }
            }
            while session.unanswered?.file == nil { try await Task.sleep(for: .milliseconds(5)) }
            #expect(session.unanswered?.file == entry.origin.name)
            guard case .failure(let error) = await reading.value else {
                throw Failed("bytes came from a sleeping camera")
            }
            #expect(error.code == .deviceGone && session.unanswered == nil)
            #expect(scene.camera.log.count { $0.operation.code == .getPartialObject } == 2)
        }
    }

    @Test(arguments: [Duration.zero, .milliseconds(300)]) func aSilentCameraIsGivenUp(patience: Duration) async throws {
        try await Self.bench.run(.network) { scene in
            let entry = try #require(try await scene.session.entries().first)
            scene.camera.add(Fault(.stall, times: .max))
            let count = scene.camera.log.count, session = scene.session
            let reading = Task {
                await Result { () async throws(IngestError) in
                    try await session.fetch(entry.origin, from: 0, into: MemorySink())
                }
            }
            while scene.camera.log.count == count { try await Task.sleep(for: .milliseconds(5)) }
            session.expectAnswers(within: patience)
            guard case .failure(let error) = await reading.value else {
                throw Failed("bytes came from a sleeping camera")
            }
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

/// The standard's camera, on which nobody waits for long.
private struct HastyCamera: CameraModule {
    typealias Config = CommonCameraConfig
    static let manifest = Manifest(
        "hasty", "The standard's camera, in a hurry.", stability: .experimental, gives: [.file])
    let handler = StandardHandler(
        quirks: .standard.with { ($0.silence, $0.answer) = (.milliseconds(300), .milliseconds(600)) })
    let options: CameraOptions, visit: CameraEnvironment

    init(_ config: Config, _ context: ModuleContext) throws(IngestError) {
        (options, visit) = (config.camera, CameraEnvironment(context))
    }
}
