import CameraTesting
import FilmgateCore
import Foundation
import PTPKit
import StandardCamera
import Testing
import VirtualCamera

/// What the pipeline file says about a camera, each option against the requests and entries that come of it.
@Suite(.timeLimit(.minutes(5))) struct OptionTests {
    private static func bench(_ configure: @escaping @Sendable (inout CameraOptions) -> Void) -> CameraBench<
        StandardCamera
    > {
        CameraBench(StandardCamera.self, as: StandardPersonality(), usb: USBIdentity(vendor: 0x1234, product: 1)) {
            configure(&$0.camera)
        }
    }
    private static let shots: [(folder: String, file: VirtualFile)] = [
        ("", VirtualFile("A.JPG", .pattern(seed: 1, size: 10), date: "20260501T120000")),
        ("", VirtualFile("A.DNG", .pattern(seed: 2, size: 20), date: "20260501T120000")),
        ("", VirtualFile("C.JPG", .pattern(seed: 3, size: 30), date: "20260503T120000")),
        ("", VirtualFile("B.MOV", .pattern(seed: 4, size: 3 << 20), date: "20260502T120000")),
    ]

    private func names(_ configure: @escaping @Sendable (inout CameraOptions) -> Void) async throws -> [String] {
        var names: [String] = []
        try await Self.bench(configure).run(.network, files: Self.shots) { scene in
            names = try await scene.session.entries().filter { $0.fate == .take }.map(\.origin.name)
        }
        return names
    }

    @Test func formatsLeaveOutTheRest() async throws {
        #expect(try await names { $0.formats = [.jpeg] } == ["A.JPG", "C.JPG"])
    }

    @Test func newestFirst() async throws {
        #expect(try await names { $0.order = .newest } == ["C.JPG", "B.MOV", "A.DNG", "A.JPG"])
    }

    @Test func oldestFirst() async throws {
        #expect(try await names { $0.order = .oldest } == ["A.DNG", "A.JPG", "B.MOV", "C.JPG"])
    }

    @Test func picturesToShowFirst() async throws {
        #expect(try await names { $0.order = .jpegFirst } == ["A.JPG", "C.JPG", "A.DNG", "B.MOV"])
    }

    @Test func asTheCameraHasThem() async throws {
        #expect(try await names { _ in } == ["A.DNG", "A.JPG", "C.JPG", "B.MOV"])
    }

    @Test func oneSlotOfTwo() async throws {
        try await Self.bench { $0.slot = 2 }.run(.network, files: Self.shots) { scene in
            var second = VirtualCard(storage: StorageID(0x0002_0001), firstHandle: 500)
            second.add(VirtualFile("Z.JPG", .pattern(seed: 9, size: 9)))
            scene.camera.insert(second)
            let taken = try await scene.session.entries().filter { $0.fate == .take }
            #expect(taken.map(\.origin.name) == ["Z.JPG"])
            #expect(await scene.session.unlisted() == nil)
            scene.camera.withBody { _ = $0.cards.removeLast() }
            #expect(try await scene.session.entries().allSatisfy { $0.fate != .take })
            #expect(await scene.session.unlisted()?.message.contains("no card in slot 2") == true)
        }
    }

    @Test func partsAreAsLargeAsTheFileSays() async throws {
        try await Self.bench { $0.chunk = ByteCount(text: "256KiB") }.run(.network, files: Self.shots) { scene in
            let clip = try #require(try await scene.session.entries().first { $0.kind == .video })
            _ = try await scene.bytes(of: clip)
            let parts = scene.camera.log.filter {
                $0.operation.code == .getPartialObject && UInt64($0.operation.parameter(1)) < clip.origin.size
            }
            #expect(parts.count == 12 && parts.allSatisfy { $0.operation.parameter(2) <= 256 << 10 })
        }
    }

    @Test func aQuietCameraIsSpokenToAsOftenAsTheFileSays() async throws {
        try await Self.bench { $0.keepAlive = .milliseconds(120) }.run(.network, files: []) { scene in
            _ = try await scene.session.entries()
            let arrivals = try await scene.session.arrivals(), before = scene.camera.log.count
            while scene.camera.log.dropFirst(before).filter({ $0.operation.code == .getDeviceInfo }).count < 3 {
                try await Task.sleep(for: .milliseconds(20))
            }
            withExtendedLifetime(arrivals) {}
        }
    }

    @Test(arguments: Backlog.allCases)
    func whatWasThereBeforeIsTheRunsAffair(backlog: Backlog) async throws {
        try await Self.bench { $0.backlog = backlog }.run(.network, files: Self.shots) { scene in
            #expect(scene.module.traits.backlog == backlog)
            let count = try await scene.session.entries().count
            #expect(count == Self.shots.count)
        }
    }

    @Test func thumbnailsAreKeptBesideTheFiles() async throws {
        let state = try TemporaryState()
        defer { state.remove() }
        let folder = state.path
        try await Self.bench { $0.thumbnails = folder }.run(.network, files: [("DCIM", Self.shots[0].file)]) { scene in
            let entry = try #require(try await scene.session.entries().first)
            let bytes = try await scene.bytes(of: entry)
            #expect(bytes.count == 10)
            let kept = Content.file(path: "\(folder)/\(scene.place.label)/DCIM/A.JPG.jpg", size: 1000).slice(
                at: 0, count: 1000)
            let info = try #require(scene.camera.withBody { $0.cards.flatMap(\.files).first?.info })
            #expect(
                kept.starts(with: [0xFF, 0xD8, 0xFF, 0xFE, 0, 7] + Array("A.JPG".utf8))
                    && kept.suffix(2) == [0xFF, 0xD9])
            #expect(info.thumbFormat == .jfif && kept.count == Int(info.thumbSize) && info.thumbWidth == 160)
            #expect(scene.camera.log.filter { $0.operation.code == .getThumb }.count == 1)
        }
        try FileManager.default.removeItem(
            atPath: folder + "/" + (FileManager.default.contentsOfDirectory(atPath: folder).first ?? ""))
    }

    @Test func aFileComesAlsoWithoutItsThumbnail() async throws {
        let state = try TemporaryState(), folder = state.path
        defer { state.remove() }
        let faults = [Fault(.refuse(.noThumbnail), on: .getThumb, times: .max)]
        try await Self.bench { $0.thumbnails = folder }.run(.network, files: Self.shots, faults: faults) { scene in
            for entry in try await scene.session.entries() {
                let bytes = try await scene.bytes(of: entry)
                #expect(UInt64(bytes.count) == entry.origin.size)
            }
        }
    }

    @Test func withoutTheOptionNoThumbnailIsAskedFor() async throws {
        try await Self.bench { _ in }.run(.network, files: Self.shots) { scene in
            for entry in try await scene.session.entries() { _ = try await scene.bytes(of: entry) }
            #expect(!scene.camera.log.contains { $0.operation.code == .getThumb })
        }
    }

    @Test func aThumbnailFolderThatCannotBeIsSaidAtOnce() async throws {
        await #expect(throws: IngestError.self) {
            try await Self.bench { $0.thumbnails = "/proc/no/such" }.run(.network) { _ in Issue.record("opened") }
        }
    }
}
