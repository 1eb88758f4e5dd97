import FilmgateCore
import FilmgateLedger
import Testing

@Suite struct KnownTests {
    @Test func oneEntryForEachFileOfTheVolumeWithItsDoneTargets() async throws {
        let ledger = try SQLiteLedger.inMemory()
        var bare = Samples.asset(4, ending: nil)
        (bare.content, bare.digests) = (nil, nil)
        try await ledger.record(
            [1, 2, 3].map { .asset(Samples.asset($0)) } + [.asset(bare), .asset(Samples.asset(5, volume: "other"))])
        try await ledger.record([
            .delivery(Samples.delivery(1)), .delivery(Samples.delivery(1, to: Samples.gallery)),
            .delivery(Samples.delivery(2, to: Samples.gallery)),
            .delivery(Samples.delivery(2, state: .pending)), .delivery(Samples.delivery(3, state: .failed)),
            .delivery(Samples.delivery(5)),
        ])
        let known = try await ledger.known(volume: "uuid:1234").sorted { $0.fingerprint.path < $1.fingerprint.path }
        #expect(known.map(\.fingerprint) == [1, 2, 3, 4].map { Samples.origin($0).fingerprint })
        #expect(known.map { Set($0.done) } == [[Samples.archive, Samples.gallery], [Samples.gallery], [], []])
        let contents: [ContentKey?] = [1, 2, 3].map { ContentKey(sha256: Samples.sha($0)) }
        #expect(known.map(\.content) == contents + [nil])
        #expect(known.map(\.ending) == [.delivered, .delivered, .delivered, nil])
        #expect(try await ledger.known(volume: "nowhere") == [])
    }

    /// A sidecar is written three times, and the clock of the machine that writes it is set back in between.
    @Test func statesOfOneFileComeInTheOrderInWhichTheyWereRecorded() async throws {
        let ledger = try SQLiteLedger.inMemory(), times: [Int64] = [50, 90, 20, 70]
        try await ledger.record([.asset(Samples.asset(1)), .asset(Samples.asset(3))])
        func write(_ number: Int, at: Int64) async throws {
            var row = Samples.asset(2)
            (row.content, row.digests) = (ContentKey(sha256: Samples.sha(number)), Digests(sha256: Samples.sha(number)))
            (row.origin.modified, row.at) = (times[number], at)
            try await ledger.record([.asset(row)])
        }
        for number in times.indices { try await write(number, at: Int64(number)) }
        // What becomes of an old state later makes it no newer.
        try await write(0, at: 100)
        let known = try await ledger.known(volume: "uuid:1234"), path = Samples.origin(2).volumePath
        #expect(known.filter { $0.liesAt(path) }.map(\.fingerprint.modified) == times)
        #expect(known.filter { $0.liesAt(path) }.map(\.content?.sha256) == times.indices.map { Samples.sha($0) })
        #expect(known.map(\.fingerprint.path).filter { $0 != path }.count == 2 && known.count == 6)
    }

    @Test func everyFieldOfAKnownFile() async throws {
        let ledger = try SQLiteLedger.inMemory(), row = Samples.full()
        try await ledger.record([.asset(row), .delivery(Samples.delivery(7))])
        let media = try #require(row.media)
        var expected = KnownFile(
            fingerprint: row.origin.fingerprint, content: row.content, kind: row.kind, ending: row.ending,
            make: media.make, model: media.model, serial: media.serial, owner: media.owner, captured: media.captured,
            done: [Samples.archive], shot: row.shot.key)
        (expected.isRead, expected.rating, expected.width, expected.height) = (
            true, media.rating, media.width, media.height
        )
        expected.take(event: row.event)
        #expect(try await ledger.known(volume: row.origin.volume) == [expected])
    }

    /// Words that repeat from row to row are shared while reading: each row still gets its own.
    @Test func neighboursDoNotLendTheirFacts() async throws {
        let ledger = try SQLiteLedger.inMemory()
        let makes: [String?] = ["A", nil, "A", "B", "", "B", nil]
        let kinds: [MediaKind] = [.raw, .jpeg, .raw, .raw, .video, .jpeg, .jpeg]
        for (number, (make, kind)) in zip(makes, kinds).enumerated() {
            var row = Samples.asset(number, ending: number % 2 == 0 ? .delivered : .setAside)
            var media = MediaFacts()
            (media.make, media.owner) = (make, make)
            (row.kind, row.media) = (kind, media)
            try await ledger.record([.asset(row)])
            if number % 3 == 0 { try await ledger.record([.delivery(Samples.delivery(number))]) }
        }
        let known = try await ledger.known(volume: "uuid:1234").sorted { $0.fingerprint.path < $1.fingerprint.path }
        #expect(known.map(\.make) == makes)
        #expect(known.map(\.owner) == makes)
        #expect(known.map(\.kind) == kinds)
        let endings: [Ending] = (0..<7).map { $0 % 2 == 0 ? .delivered : .setAside }
        #expect(known.map(\.ending) == endings)
        #expect(known.map(\.done.isEmpty) == [false, true, true, false, true, true, false])
    }

    @Test func twoFilesWithTheSameBytesAreTwoFiles() async throws {
        let ledger = try SQLiteLedger.inMemory()
        var twin = Samples.asset(2)
        twin.content = ContentKey(sha256: Samples.sha(1))
        try await ledger.record([.asset(Samples.asset(1)), .asset(twin), .delivery(Samples.delivery(1))])
        let known = try await ledger.known(volume: "uuid:1234")
        #expect(known.count == 2)
        #expect(known.allSatisfy { $0.done == [Samples.archive] })
    }

    /// Whether the files of a card were recorded in one go or scattered over years.
    @Test func doneTargetsOfScatteredContents() async throws {
        let ledger = try SQLiteLedger.inMemory()
        for number in 0..<60 {
            let volume = number % 20 == 0 ? "uuid:1234" : "other"
            try await ledger.record([
                .asset(Samples.asset(number, volume: volume)), .delivery(Samples.delivery(number)),
            ])
            if number == 20 { try await ledger.record([.delivery(Samples.delivery(number, to: Samples.gallery))]) }
        }
        var twin = Samples.asset(99)
        twin.content = ContentKey(sha256: Samples.sha(20))
        try await ledger.record([.asset(twin)])
        let known = try await ledger.known(volume: "uuid:1234").sorted { $0.fingerprint.path < $1.fingerprint.path }
        let both: Set = [Samples.archive, Samples.gallery]
        #expect(known.map { Set($0.done) } == [[Samples.archive], both, [Samples.archive], both])
        #expect(known.allSatisfy { Set($0.done).count == $0.done.count })
        #expect(try await ledger.known(volume: "other").allSatisfy { $0.done == [Samples.archive] })
    }

    @Test func belowAFolderOfTheVolume() async throws {
        let ledger = try SQLiteLedger.inMemory()
        let paths = ["a/b/1", "a/b/c/2", "a/b0", "a/b-/3", "a/b", "a/B/4", "z", "\u{10FFFF}/5"]
        for (number, path) in paths.enumerated() {
            var row = Samples.asset(number)
            (row.origin.path, row.origin.volumePath) = (path, path)
            try await ledger.record([.asset(row), .delivery(Samples.delivery(number))])
        }
        func below(_ folder: String) async throws -> Set<String> {
            let known = try await ledger.known(volume: "uuid:1234", below: folder)
            #expect(known.allSatisfy { $0.done == [Samples.archive] })
            return Set(known.map(\.fingerprint.path))
        }
        #expect(try await below("a/b") == ["a/b/1", "a/b/c/2"])
        #expect(try await below("a/b/c") == ["a/b/c/2"])
        #expect(try await below("") == Set(paths))
        #expect(try await below("b") == [])
        #expect(try await below("\u{10FFFF}") == ["\u{10FFFF}/5"])
    }

    /// The same path again with another size or time, as after a format, is another file.
    @Test func everyPartOfTheFingerprintCounts() async throws {
        let ledger = try SQLiteLedger.inMemory()
        var origins = [Samples.origin(1)]
        for change: (inout Origin) -> Void in [
            { $0.size += 1 }, { $0.modified += 1 }, { $0.born += 1 }, { $0.inode += 1 }, { $0.changed += 1 },
            { $0.volumePath += "x" },
        ] {
            var other = Samples.origin(1)
            change(&other)
            origins.append(other)
        }
        for origin in origins {
            var row = Samples.asset(1)
            row.origin = origin
            try await ledger.record([.asset(row)])
        }
        #expect(Set(try await ledger.known(volume: "uuid:1234").map(\.fingerprint)) == Set(origins.map(\.fingerprint)))
    }

    /// Swift holds both spellings for equal; on a disk they are two files.
    @Test func namesThatDifferOnlyInNormalisationAreTwoFiles() async throws {
        let ledger = try SQLiteLedger.inMemory()
        for path in ["caf\u{E9}.jpg", "cafe\u{301}.jpg"] {
            var row = Samples.asset(1)
            (row.origin.path, row.origin.volumePath) = (path, path)
            try await ledger.record([.asset(row)])
        }
        let paths = try await ledger.known(volume: "uuid:1234").map { Array($0.fingerprint.path.utf8) }
        #expect(Set(paths) == [Array("caf\u{E9}.jpg".utf8), Array("cafe\u{301}.jpg".utf8)])
    }
}
