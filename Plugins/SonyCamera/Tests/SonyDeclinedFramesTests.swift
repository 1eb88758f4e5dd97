import CameraTesting
import FilmgateCore
import PTPKit
import Testing
import VirtualCamera

@testable import SonyCamera

/// Frames that nobody wants: the body shows the next one only when they have been read.
@Suite struct SonyDeclinedFramesTests {
    @Test(.timeLimit(.minutes(5)), arguments: [Ending.filtered, .alreadySeen, .duplicate])
    func aFrameThatIsSettledUnreadMakesRoomForTheNext(ending: Ending) async throws {
        try await SonyCameraTests.live.run(.network, files: []) { scene in
            _ = try await scene.session.entries()
            var arrivals = try await scene.session.arrivals().makeAsyncIterator()
            for number in 1...3 { scene.camera.shoot([CardFiles.shot(number, raw: "ARW")[0]]) }
            for number in 1...3 {
                guard case .arrived(let entry) = await arrivals.next() else {
                    throw Failed("frame \(number) did not come")
                }
                #expect(entry.origin.name == "IMG_000\(number).ARW")
                let asset = Asset(origin: entry.origin, kind: entry.kind, shot: entry.shot)
                scene.session.settled(AssetResult(asset: asset, ending: ending, reason: "not wanted"))
            }
            while scene.camera.withBody({ !$0[SonyBody.self].frames.isEmpty }) {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(scene.camera.withBody { $0[SonyBody.self].hung } == 0)
        }
    }

    @Test(.timeLimit(.minutes(5))) func formatsLeftOutDoNotHoldUpTheBurst() async throws {
        let bench = CameraBench(SonyCamera.self, as: SonyPersonality(remote: true), usb: SonyCameraTests.usb) {
            config in
            (config.remote, config.camera.formats) = (true, [.jpeg])
        }
        try await bench.run(.network, files: []) { scene in
            _ = try await scene.session.entries()
            var arrivals = try await scene.session.arrivals().makeAsyncIterator()
            for number in 1...3 { scene.camera.shoot(CardFiles.shot(number, raw: "ARW")) }
            var taken: [String] = []
            while taken.count < 3, case .arrived(let entry) = await arrivals.next() {
                guard case .filtered(let reason) = entry.fate else {
                    _ = try await scene.bytes(of: entry)
                    taken.append(entry.origin.name)
                    continue
                }
                let asset = Asset(origin: entry.origin, kind: entry.kind, shot: entry.shot)
                scene.session.settled(AssetResult(asset: asset, ending: .filtered, reason: reason))
            }
            #expect(taken == ["IMG_0001.JPG", "IMG_0002.JPG", "IMG_0003.JPG"])
        }
    }

    @Test(.timeLimit(.minutes(5))) func aFrameThatWasThereBeforeIsToldAboutLive() async throws {
        try await SonyCameraTests.live.run(.network, files: []) { scene in
            scene.camera.shoot([CardFiles.shot(1, raw: "ARW")[0]])
            #expect(try await scene.session.entries().isEmpty)
            var arrivals = try await scene.session.arrivals().makeAsyncIterator()
            guard case .arrived(let entry) = await arrivals.next() else { throw Failed("the frame did not come") }
            #expect(try await UInt64(scene.bytes(of: entry).count) == entry.origin.size)
        }
    }

    /// Bodies that save nothing on a card may number every frame alike.
    @Test(.timeLimit(.minutes(5))) func framesThatLookTheSameAreTwoFiles() async throws {
        try await SonyCameraTests.live.run(.network, files: []) { scene in
            _ = try await scene.session.entries()
            var arrivals = try await scene.session.arrivals().makeAsyncIterator()
            for seed in [7, 8] as [UInt64] {
                scene.camera.shoot([VirtualFile("DSC00001.ARW", .pattern(seed: seed, size: 90_000))])
            }
            var names: [String] = [], contents: [[UInt8]] = []
            for _ in 0..<2 {
                guard case .arrived(let entry) = await arrivals.next() else { throw Failed("a frame did not come") }
                names.append(entry.origin.name)
                contents.append(try await scene.bytes(of: entry))
            }
            #expect(names == ["DSC00001.ARW", "DSC00001~2.ARW"])
            #expect(contents[0] != contents[1])
        }
    }
}
