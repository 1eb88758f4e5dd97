import CameraTesting
import FilmgateCore
import StandardCamera
import Synchronization
import Testing
import VirtualCamera

@testable import PTPKit

/// A session that goes on for an evening keeps nothing of files that have reached their endings but that they were told
/// about.
@Suite(.timeLimit(.minutes(5))) struct ForgettingTests {
    private static let bench = CameraBench(
        StandardCamera.self, as: StandardPersonality(), usb: USBIdentity(vendor: 0x1234, product: 1))

    private func end(_ entry: SourceEntry, _ ending: Ending, _ session: any ResultHandlingSession) {
        session.settled(
            AssetResult(asset: Asset(origin: entry.origin, kind: entry.kind, shot: entry.shot), ending: ending))
    }

    @Test func settledFilesAreForgottenAndStillNotToldTwice() async throws {
        try await Self.bench.run(.bus) { scene in
            let session = try #require(scene.session as? CameraSession), entries = try await session.entries()
            #expect(session.objects.state.withLock(\.current).count == entries.count)
            for entry in entries { end(entry, .delivered, session) }
            #expect(session.objects.state.withLock(\.current).isEmpty)
            session.oweListing()
            var arrivals = try await session.arrivals().makeAsyncIterator()
            scene.camera.shoot([VirtualFile("AFTER.JPG", .pattern(seed: 1, size: 1000))])
            guard case .arrived(let entry) = await arrivals.next() else { throw Failed("nothing arrived") }
            #expect(
                entry.origin.name == "AFTER.JPG"
                    && session.objects.state.withLock { $0.told.count } == entries.count + 1)
        }
    }

    @Test func whatIsPendingCanStillBeReadAfterAReturn() async throws {
        try await Self.bench.run(.bus) { scene in
            let session = try #require(scene.session as? CameraSession), entries = try await session.entries()
            for (number, entry) in entries.enumerated() { end(entry, number == 0 ? .pending : .delivered, session) }
            try await session.connection.comeBack(from: session.connection.camera)
            #expect(
                session.objects.state.withLock {
                    $0.earlier.count == 1 && $0.earlier.holds(entries[0].origin.volumePath)
                })
            let bytes = try await scene.bytes(of: entries[0])
            #expect(UInt64(bytes.count) == entries[0].origin.size)
            #expect(session.objects.state.withLock(\.current).count == 1)
        }
    }

    /// What a listing had to be made for is not the whole card.
    @Test func lookingForOneFileKeepsNoOther() async throws {
        try await Self.bench.run(.bus) { scene in
            let session = try #require(scene.session as? CameraSession), entries = try await session.entries()
            for entry in entries { end(entry, .delivered, session) }
            let bytes = try await scene.bytes(of: entries[0])
            #expect(UInt64(bytes.count) == entries[0].origin.size)
            #expect(
                session.objects.state.withLock {
                    $0.current.count == 1 && $0.current.holds(entries[0].origin.volumePath)
                })
        }
    }

    /// A camera that comes back with thousands of known files costs what is new, and the last few that may just be
    /// written.
    @Test func aReturnKeepsNothingOfWhatIsKnown() async throws {
        let files = (1...60).map {
            (folder: "", file: VirtualFile("IMG_\($0).JPG", .pattern(seed: UInt64($0), size: 1000)))
        }
        try await Self.bench.run(.bus, files: files) { scene in
            let session = try #require(scene.session as? CameraSession)
            for entry in try await session.entries() { end(entry, .delivered, session) }
            try await session.connection.comeBack(from: session.connection.camera)
            let kept = try await session.list { !session.objects.contains($0) }
            #expect(kept.map(\.name) == ["IMG_57.JPG", "IMG_58.JPG", "IMG_59.JPG", "IMG_60.JPG"])
        }
    }
}
