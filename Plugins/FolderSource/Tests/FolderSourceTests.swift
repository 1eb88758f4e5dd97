import FilmgateCore
import FolderSource
import Foundation
import Testing

@Suite struct FolderSourceTests {
    @Test func whatIsThereIsListedAndWhatComesIsTold() async throws {
        let hot = try await HotFolder([
            "a.jpg": HotFolder.jpeg(1), "sub/b.jpg": HotFolder.jpeg(2), ".hidden.jpg": HotFolder.jpeg(3),
        ])
        #expect(hot.listed.map(\.origin.path).sorted() == ["a.jpg", "sub/b.jpg"])
        try hot.put("c.jpg")
        try hot.put("new/deeper/d.jpg")
        #expect(Set(await hot.names(2)) == ["c.jpg", "new/deeper/d.jpg"])
        await hot.close()
    }

    /// A camera's clock that is ahead, or one here that was set back: what was seen to rest is whole.
    @Test func aFileFromTheFutureIsListedAsWell() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("filmgate-hot-\(UUID().uuidString)")
            .path
        try HotFolder.write(HotFolder.jpeg(1), to: path + "/ahead.jpg")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: 86_400)], ofItemAtPath: path + "/ahead.jpg")
        let hot = try await HotFolder(at: path)
        #expect(hot.listed.map(\.origin.path) == ["ahead.jpg"])
        await hot.close()
    }

    /// So many that they are looked into by several threads.
    @Test func ofManyTheWholeOnesAreListedInOrder() async throws {
        var files: [String: Data] = [:]
        for number in 100..<500 {
            let whole = HotFolder.jpeg(number)
            files["\(number).jpg"] = number % 7 == 0 ? whole.dropLast(2) : whole
        }
        var hot = try await HotFolder(files) { $0.settle = .zero }
        // A child that another test starts holds a file open for a moment: then it is not listed yet.
        for _ in 0..<10 where hot.listed.count != (100..<500).filter({ $0 % 7 != 0 }).count {
            await hot.close()
            hot = try await HotFolder(files) { $0.settle = .zero }
        }
        #expect(hot.listed.map(\.origin.path) == (100..<500).filter { $0 % 7 != 0 }.map { "\($0).jpg" })
        #expect(await hot.session.unfinished().count == (100..<500).filter { $0 % 7 == 0 }.count)
        await hot.close()
    }

    /// Seen whole and not told, since its picture may still come.
    @Test func aSidecarThatWaitsForItsPictureIsUnfinished() async throws {
        var reasons: [String] = []
        // A child that another test starts holds the file open for a moment; then it waits for that.
        while reasons.count < 10, reasons.last?.contains("rest of its shot") != true {
            let hot = try await HotFolder { $0.companions = .seconds(3600) }
            try hot.put("a.xmp", Data("<x:xmpmeta/>".utf8))
            try hot.put("b.jpg")
            #expect(await hot.names(1) == ["b.jpg"])
            let left = await hot.session.unfinished()
            #expect(left.map(\.entry.origin.path) == ["a.xmp"])
            reasons.append(left.first?.reason ?? "")
            await hot.close()
        }
        #expect(reasons.last?.contains("rest of its shot") == true, "\(reasons)")
    }

    @Test func whoWatchesSeesWhatIsWaitedFor() async throws {
        let hot = try await HotFolder()
        try hot.put("half.jpg", HotFolder.jpeg(1).dropLast(2))
        var notes: [String] = []
        for _ in 0..<500 where !notes.contains(where: { $0.contains("half.jpg") }) {
            notes = await hot.session.condition().notes
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(notes.count == 1 && notes[0].hasPrefix("waits for half.jpg ("), "\(notes)")
        try hot.put("half.jpg", HotFolder.jpeg(1))
        #expect(await hot.names(1) == ["half.jpg"])
        #expect(await hot.session.condition().notes == [])
        await hot.close()
    }

    @Test func aTreeThatIsMovedInIsTakenWhole() async throws {
        let hot = try await HotFolder()
        let outside = hot.path + "-outside"
        for number in 0..<20 {
            try HotFolder.write(HotFolder.jpeg(number), to: outside + "/x/y\(number % 3)/\(number).jpg")
        }
        try FileManager.default.moveItem(atPath: outside, toPath: hot.path + "/moved")
        #expect(Set(await hot.names(20)).count == 20)
        await hot.close()
    }

    @Test func aTemporaryNameWaitsForItsRename() async throws {
        let hot = try await HotFolder()
        try hot.put("one.jpg.tmp")
        try hot.put(".two.jpg.a8Xk2p")
        try hot.put("three.jpg.part")
        try FileManager.default.moveItem(atPath: hot.path + "/one.jpg.tmp", toPath: hot.path + "/one.jpg")
        try FileManager.default.moveItem(atPath: hot.path + "/.two.jpg.a8Xk2p", toPath: hot.path + "/two.jpg")
        #expect(Set(await hot.names(2)) == ["one.jpg", "two.jpg"])
        await hot.close()
    }

    @Test func aWriterThatStaysIsWaitedFor() async throws {
        let hot = try await HotFolder()
        try hot.put("slow.jpg", Data())
        let writer = try #require(FileHandle(forWritingAtPath: hot.path + "/slow.jpg"))
        let whole = HotFolder.jpeg(9)
        try writer.write(contentsOf: whole.prefix(6))
        try hot.put("quick.jpg")
        #expect(await hot.names(1) == ["quick.jpg"])
        try writer.write(contentsOf: whole.dropFirst(6))
        try writer.close()
        let slow = try #require(await hot.next())
        #expect(slow.origin.path == "slow.jpg")
        #expect(slow.origin.size == UInt64(whole.count))
        await hot.close()
    }

    @Test func aPreallocatedFileIsNotTakenAsZeros() async throws {
        let hot = try await HotFolder()
        try hot.put("zeros.jpg", Data(count: 4000))
        try hot.put("empty.cr3", Data())
        try hot.put("cut.jpg", HotFolder.jpeg(1).dropLast(2))
        try hot.put("good.jpg")
        #expect(await hot.names(1) == ["good.jpg"])
        try hot.put("zeros.jpg", HotFolder.jpeg(5))
        #expect(await hot.names(1) == ["zeros.jpg"])
        try hot.put("cut.jpg", HotFolder.jpeg(1))
        #expect(await hot.names(1) == ["cut.jpg"])
        await hot.close()
    }

    @Test func whatStaysIncompleteIsTakenInTheEnd() async throws {
        let hot = try await HotFolder { $0.incomplete = .milliseconds(600) }
        try hot.put("cut.jpg", HotFolder.jpeg(1).dropLast(2))
        #expect(await hot.names(1) == ["cut.jpg"])
        await hot.close()
    }

    @Test func theFilesOfAShotComeTogetherAndALateOneHasTheSameKey() async throws {
        let hot = try await HotFolder()
        try hot.put("IMG_1.JPG")
        try hot.put("IMG_1.CR2", Data("II*\0\u{8}".utf8) + Data(count: 300))
        try hot.put("IMG_1.xmp", Data("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8))
        var entries: [SourceEntry] = []
        for _ in 0..<3 { entries.append(try #require(await hot.next())) }
        #expect(Set(entries.map(\.shot.key)).count == 1)
        #expect(entries.first?.kind == .raw || entries.map(\.kind).contains(.raw))
        try hot.put("IMG_1.WAV", Data("RIFF\u{4}\0\0\0WAVE".utf8))
        let late = try #require(await hot.next())
        #expect(late.shot.key == entries[0].shot.key)
        await hot.close()
    }

    @Test func lookingAgainAndAgainFindsTheSame() async throws {
        let hot = try await HotFolder(["old.jpg": HotFolder.jpeg(1)]) { $0.watching = .polling }
        #expect(hot.listed.count == 1)
        try hot.put("sub/new.jpg")
        #expect(await hot.names(1) == ["sub/new.jpg"])
        try hot.put("old.jpg", HotFolder.jpeg(22))
        #expect(await hot.names(1) == ["old.jpg"])
        await hot.close()
    }

    @Test func aFolderThatGoesAwayEndsTheNews() async throws {
        let hot = try await HotFolder()
        try FileManager.default.removeItem(atPath: hot.path)
        #expect(await hot.next() == nil)
        await hot.close()
    }

    @Test func aFileThatChangedOrWasRenamedIsNotSetAside() async throws {
        let hot = try await HotFolder()
        try hot.put("a.jpg")
        let entry = try #require(await hot.next())
        let failure = IngestError(.corruptData, "changed")
        guard case .filtered = try await hot.session.fate(of: entry.origin, after: failure) else {
            Issue.record("not filtered")
            return
        }
        #expect(await hot.names(1) == ["a.jpg"])
        try FileManager.default.moveItem(atPath: hot.path + "/a.jpg", toPath: hot.path + "/b.jpg")
        #expect(await hot.names(1) == ["b.jpg"])
        guard case .filtered = try await hot.session.fate(of: entry.origin, after: IngestError(.notFound, "gone"))
        else {
            Issue.record("a renamed file was set aside")
            return
        }
        try FileManager.default.removeItem(atPath: hot.path + "/b.jpg")
        let gone = Origin(source: "folder", volume: "", root: hot.path, path: "x.jpg", size: 1, modified: 1)
        #expect(try await hot.session.fate(of: gone, after: IngestError(.notFound, "gone")) == nil)
        await hot.close()
    }
}
