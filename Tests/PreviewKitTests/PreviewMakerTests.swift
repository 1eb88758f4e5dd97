import FilmgateCore
import Foundation
import MediaKit
import PreviewWire
import Synchronization
import TestThreads
import Testing

@testable import PreviewKit

private let sha256 = String(repeating: "ab", count: 32)

/// Pictures of files on a disk.
@Suite(.ownThreads, .enabled(if: Decoder.isThere), .timeLimit(.minutes(5))) struct PreviewMakerTests {
    private func maker(_ folder: String) -> PreviewMaker {
        PreviewMaker(folder: folder + "/cache", program: Decoder.program)
    }

    private func put(_ bytes: [UInt8], _ path: String) throws -> PreviewSource {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        return PreviewSource(root: String(path.dropLast(name.count + 1)), path: name, size: UInt64(bytes.count))
    }

    private func code(
        _ maker: PreviewMaker, _ sources: [PreviewSource], _ size: PreviewSize = .thumbnail, _ content: String = sha256
    ) async throws -> IngestError.Code? {
        let key = try #require(PreviewKey(sha256: content, size))
        do throws(IngestError) {
            _ = try await maker.picture(key) { () async throws(IngestError) in sources }
            return nil
        } catch { return error.code }
    }

    @Test func aPictureIsMadeOnceAndKept() async throws {
        try await withFolder { folder in
            let source = try put(Samples.frame(), folder + "/a.jpg"), maker = maker(folder)
            let keys = try PreviewSize.allCases.filter(\.isKept).map { try #require(PreviewKey(sha256: sha256, $0)) }
            var pictures: [[UInt8]] = []
            for key in keys {
                pictures.append(try await maker.picture(key) { () async throws(IngestError) in [source] })
            }
            // The thumbnail is the camera's own, the preview the frame itself.
            #expect(pictures[0].count < pictures[1].count && pictures.allSatisfy { $0.starts(with: [0xFF, 0xD8]) })
            try FileManager.default.removeItem(atPath: folder + "/a.jpg")
            for (key, picture) in zip(keys, pictures) {
                let again = try await maker.picture(key) { () async throws(IngestError) in [] }
                #expect(again == picture)
            }
            #expect(try await code(maker, [source], .thumbnail, String(repeating: "cd", count: 32)) == .notFound)
            let mode = try FileManager.default.attributesOfItem(atPath: folder + "/cache")[.posixPermissions] as? Int
            #expect(mode == 0o700)
            maker.end()
        }
    }

    @Test func allPixelsComeAndAreNotKept() async throws {
        try await withFolder { folder in
            let source = try put(Samples.frame(2400), folder + "/a.jpg"), maker = maker(folder)
            let key = try #require(PreviewKey(sha256: sha256, .full))
            let picture = try await maker.picture(key) { () async throws(IngestError) in [source] }
            let found = try #require(MediaReader.previews(MemorySource(picture)))
            #expect(found.width == 2400, "as many as the frame has: \(found.width)")
            try FileManager.default.removeItem(atPath: folder + "/a.jpg")
            #expect(try await code(maker, [source], .full) == .notFound)
            maker.end()
        }
    }

    @Test(arguments: [1, 3, 6, 8]) func aPictureThatIsNotTurnedSaysHowItIs(_ orientation: Int) throws {
        let jpeg = Samples.jpeg(64, 48), marked = OrientationMark.put(orientation, into: jpeg)
        #expect((marked == jpeg) == (orientation == 1))
        let found = try #require(MediaReader.previews(MemorySource(marked)))
        #expect(found.orientation == orientation && found.width == 64 && found.height == 48)
        #expect(marked.starts(with: jpeg.prefix(2)) && marked.suffix(40) == jpeg.suffix(40))
    }

    @Test(arguments: [[], [0xFF, 0xD8], [0xFF, 0xD8, 0xFF, 0xE0, 0xFF, 0xFF, 0, 0]] as [[UInt8]])
    func whatIsNoPictureIsLeftAsItIs(_ bytes: [UInt8]) { #expect(OrientationMark.put(6, into: bytes) == bytes) }

    @Test func onlyTheFileThatIsMeantIsRead() async throws {
        try await withFolder { folder in
            var source = try put(Samples.frame(), folder + "/a.jpg")
            let maker = maker(folder), whole = source
            try FileManager.default.createSymbolicLink(
                atPath: folder + "/link.jpg", withDestinationPath: folder + "/a.jpg")
            source.path = "link.jpg"
            #expect(try await code(maker, [source]) == .notFound)
            source = whole
            source.size += 1
            #expect(try await code(maker, [source]) == .notFound)
            source = whole
            source.modified = 1
            #expect(try await code(maker, [source]) == .notFound)
            (source.root, source.path) = (folder + "/cache", "../a.jpg")
            #expect(try await code(maker, [source]) == .notFound)
            // The first that is there.
            #expect(try await code(maker, [source, whole]) == nil)
            maker.end()
        }
    }

    @Test func whatHoldsNoPictureIsToldAsSuch() async throws {
        try await withFolder { folder in
            let text = try put(Array("no picture".utf8), folder + "/a.txt"), maker = maker(folder)
            #expect(try await code(maker, [text]) == .corruptData)
            #expect(try await code(maker, []) == .corruptData, "known by now")
            let broken = try put(Samples.claiming(65_500, 65_500, Samples.jpeg(64, 64)), folder + "/b.jpg")
            #expect(try await code(maker, [broken], .preview) == .corruptData)
            maker.end()
        }
    }

    @Test func aCutFrameStillHasAPicture() async throws {
        try await withFolder { folder in
            let frame = Samples.frame(), source = try put(Array(frame.prefix(frame.count / 2)), folder + "/a.jpg")
            let maker = maker(folder)
            for size in PreviewSize.allCases { #expect(try await code(maker, [source], size) == nil) }
            // Half of the frame tells more than all of its thumbnail.
            let key = try #require(PreviewKey(sha256: sha256, .preview))
            let picture = try await maker.picture(key) { () async throws(IngestError) in [] }
            #expect(MediaReader.previews(MemorySource(picture))?.width == 640)
            maker.end()
        }
    }

    private final class Gate: Sendable {
        let isOpen = Mutex(false)
    }

    /// A page asks again then, and does not take it for a file without a picture.
    @Test func whoFindsNoRoomIsToldWhenToAskAgain() async throws {
        try await withFolder { folder in
            let maker = maker(folder), gate = Gate()
            let keys = try (0...256).map { number in
                try #require(PreviewKey(sha256: String(format: "%064x", number), .thumbnail))
            }
            let ends = await withTaskGroup(of: IngestError?.self) { group in
                for key in keys {
                    group.addTask {
                        do throws(IngestError) {
                            _ = try await maker.picture(key) { () async throws(IngestError) -> [PreviewSource] in
                                while !gate.isOpen.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(10)) }
                                return []
                            }
                            return nil
                        } catch { return error }
                    }
                }
                var ends: [IngestError?] = []
                for await end in group {
                    ends.append(end)
                    gate.isOpen.withLock { $0 = true }
                }
                return ends
            }
            // All others wait behind the gate until this one was refused.
            let first = try #require(ends.first ?? nil)
            #expect(first.code == .unavailable && first.retryAfter == .seconds(1))
            #expect(ends.dropFirst().allSatisfy { $0?.code == .notFound && $0?.retryAfter == nil })
            maker.end()
        }
    }

    @Test func manyAtOnceAreAllAnswered() async throws {
        try await withFolder { folder in
            let source = try put(Samples.frame(), folder + "/a.jpg"), maker = maker(folder)
            let failures = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        let digits = String(number % 20, radix: 16)
                        let content = String(repeating: "0", count: 64 - digits.count) + digits
                        do { return try await code(maker, [source], .thumbnail, content) != nil } catch { return true }
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(failures == 0)
            maker.end()
        }
    }

    @Test func theProcessEndsWhenNobodyNeedsItAndComesBack() async throws {
        try await withFolder { _ async throws in
            let decoder = PreviewDecoder(program: Decoder.program) { true }, jpeg = Samples.jpeg(64, 64)
            func make() throws -> Bool {
                try decoder.make(.init(length: jpeg.count, longEdge: 64, quality: 80)) {
                    (offset, count) throws(IngestError) in
                    Array(jpeg[offset..<(offset + count)])
                }.reply.outcome == .done
            }
            #expect(try make())
            #expect(decoder.endIfIdle())
            #expect(!decoder.endIfIdle(after: .zero))
            #expect(try make())
            decoder.end()
        }
    }
}

@Suite struct PreviewCacheTests {
    private func key(_ number: Int) throws -> PreviewKey {
        let digits = String(number * 7919 + 0x1000_0000, radix: 16)
        return try #require(PreviewKey(sha256: digits + String(repeating: "0", count: 64 - digits.count), .thumbnail))
    }
    private let picture: [UInt8] = [0xFF, 0xD8] + [UInt8](repeating: 1, count: 996) + [0xFF, 0xD9]

    private func files(_ folder: String) -> [String] {
        (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []).filter {
            $0.hasSuffix(".jpg")
        }
    }

    @Test func itNeverGrowsBeyondItsBound() async throws {
        try await withFolder { folder in
            for limit in [20_000, 10_000] as [UInt64] {
                // The second begins with what the first left.
                let cache = PreviewCache(folder, limit: limit)
                for number in 0..<50 { cache.write(try key(number), picture) }
                #expect(files(folder).count * 1000 <= Int(limit) && !files(folder).isEmpty)
            }
            #expect(PreviewCache(folder, limit: 10_000).read(try key(49)) == picture)
            #expect(FileManager.default.fileExists(atPath: folder + "/CACHEDIR.TAG"))
        }
    }

    @Test func whatIsDamagedOrMissingIsNoPicture() async throws {
        try await withFolder { folder in
            let cache = PreviewCache(folder, limit: 1 << 20), key = try key(1)
            #expect(cache.read(key) == nil)
            cache.write(key, picture)
            let name = try #require(files(folder).first)
            try Data(picture.dropLast(5)).write(to: URL(fileURLWithPath: folder + "/" + name))
            #expect(cache.read(key) == nil)
            cache.write(key, picture)
            #expect(cache.read(key) == picture)
        }
    }

    @Test func aFolderThatCannotBeWrittenCostsThePictureOnly() {
        let cache = PreviewCache("/proc/nothing", limit: 1000)
        if let key = try? key(1) {
            cache.write(key, picture)
            #expect(cache.read(key) == nil)
        }
    }

    @Test(arguments: ["", "../../etc/passwd", String(repeating: "A", count: 64), String(repeating: "a", count: 63)])
    func onlyADigestNamesAPicture(_ text: String) { #expect(PreviewKey(sha256: text, .preview) == nil) }
}
