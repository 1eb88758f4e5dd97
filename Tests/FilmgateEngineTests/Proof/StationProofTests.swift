import FilmgateCore
import FilmgateTesting
import Foundation
import Testing

@testable import FilmgateEngine

/// A card that another station took: a yes needs this station's own asking and reading, now.
@Suite struct StationProofTests {
    @Test func whatIsAskedAndReadNowProvesTheFile() async throws {
        let world = try StationProofWorld(), finding = try await world.finding()
        #expect(finding.verdict == .proven)
        #expect(finding.stations == ["desk-3"] && finding.asked == ["nas", "gallery"] && finding.believed == [])
        #expect(finding.copies == ["\(world.nas)/2026/a.jpg"])
    }

    /// Without the words of other stations it is a file that nobody here ever took.
    @Test func whatNobodySpokeOfIsNotAskedFor() async throws {
        let world = try StationProofWorld()
        world.catalog.set(copies: [])
        #expect(try await world.no() == "never ingested")
    }

    @Test(arguments: StationProofWorld.Word.allCases) func onlyAYesOfTheGalleryCounts(
        _ word: StationProofWorld.Word
    ) async throws {
        let world = try StationProofWorld()
        world.word = word
        let no = try await world.no()
        #expect(no.isEmpty == (word == .has))
        #expect(
            word == .has || no.hasPrefix("gallery") && no.contains("desk-3 says that it delivered it there"), "\(no)")
    }

    /// A bit, the length, the file itself; and a folder in its place.
    @Test(arguments: ["tesu", "test\n", "", nil]) func theBytesOfTheSharedFolderAreReadNow(_ text: String?) async throws
    {
        let world = try StationProofWorld()
        try world.put(text, at: "nas/2026/a.jpg")
        let no = try await world.no()
        #expect(no.hasPrefix("nas: ") && no.contains("desk-3"), "\(no)")
        try world.put("test", at: "nas/2026/a.jpg")
        #expect(try await world.no() == "")
    }

    @Test(arguments: [
        "../CARD/A.JPG", "/etc/hostname", "2026/../2026/a.jpg", "", "2026", "./2026/a.jpg", "2026//a.jpg",
    ])
    func noPathLeadsOutOfTheSharedFolder(_ path: String) async throws {
        let world = try StationProofWorld()
        world.catalog.set(copies: [world.said(at: "shared|\(world.mark)", path), world.said()])
        #expect(try await world.no().hasPrefix("nas: "))
        // Whoever says it right is heard beside.
        let right = world.said(at: "shared|\(world.mark)", "2026/a.jpg") { $0.station = "desk-4" }
        world.catalog.set(copies: [world.said(at: "shared|\(world.mark)", path), right, world.said()])
        #expect(try await world.finding().stations == ["desk-4", "desk-3"])
    }

    /// Bytes that are on their way lie there under a hidden name, and may be gone in a moment.
    @Test(arguments: [".filmgate/1.part", "2026/.a.jpg.part"]) func whatIsNotWholeYetIsNoCopy(
        _ path: String
    ) async throws {
        let world = try StationProofWorld()
        try FileManager.default.createDirectory(atPath: "\(world.nas)/.filmgate", withIntermediateDirectories: true)
        try world.put("test", at: "nas/\(path)")
        world.catalog.set(copies: [world.said(at: "shared|\(world.mark)", path), world.said()])
        #expect(try await world.no().hasPrefix("nas: no place there that makes sense"))
    }

    /// The card itself, by way of a link in the shared folder, is no copy of it.
    @Test func aLinkToTheCardIsNoCopy() async throws {
        let world = try StationProofWorld()
        try FileManager.default.removeItem(atPath: "\(world.nas)/2026")
        try FileManager.default.createSymbolicLink(
            atPath: "\(world.nas)/2026", withDestinationPath: "\(world.folder)/CARD")
        world.catalog.set(copies: [world.said(at: "shared|\(world.mark)", "2026/A.JPG"), world.said()])
        #expect(try await world.no().contains("shares its bytes with the card"))
    }

    @Test func aFolderWithAnotherMarkIsAnotherFolder() async throws {
        let world = try StationProofWorld()
        world.catalog.set(copies: [
            world.said(at: "shared|\(String(repeating: "0", count: 32))", "2026/a.jpg"), world.said(),
        ])
        #expect(try await world.no() == "nas: no station says that it delivered this file there")
    }

    @Test func aCopyOfAnotherStationAloneCountsForNothing() async throws {
        let world = try StationProofWorld()
        world.wanted.insert("archive")
        #expect(try await world.no() == "archive: never delivered there from here, and the pipeline wants it")
        let own = world.said(at: nil, "\(world.archive)/a.jpg", named: "archive")
        try world.put("test", at: "archive/a.jpg")
        world.catalog.set(copies: [own, world.said(at: "shared|\(world.mark)", "2026/a.jpg"), world.said()])
        #expect(
            try await world.no() == "archive: desk-3 says that it has a copy of its own, out of reach here: not proven")
        // Nothing but such copies: the same.
        world.catalog.set(copies: [own])
        #expect(try await world.no().hasPrefix("archive: desk-3 says"))
    }

    @Test func rowsThatMakeNoSenseAreNone() async throws {
        let world = try StationProofWorld(), nas = world.said(at: "shared|\(world.mark)", "2026/a.jpg")
        let changes: [(inout CatalogCopy) -> Void] = [
            { $0.size = 5 }, { $0.state = .seen }, { $0.sha256 = String(repeating: "a", count: 64) },
            { $0.target = "http:https://gallery.example/:ann\n" }, { $0.target = "" },
            { $0.target = "http:https://gallery.example/:anna" },
        ]
        for change in changes {
            world.catalog.set(copies: [nas, world.said("42", change)])
            #expect(try await world.no() == "gallery: no station says that it delivered this file there")
        }
        // Its words are for people: no more of them than a line holds.
        world.word = .lacks
        world.catalog.set(copies: [
            nas, world.said("4\u{7}2") { $0.station = "desk\u{1B}[31m\n" + String(repeating: "x", count: 999) },
        ])
        let no = try await world.no()
        #expect(
            no.hasPrefix("gallery: ") && no.utf8.count < 400 && !no.unicodeScalars.contains { $0.value < 0x20 }, "\(no)"
        )
    }

    @Test func aSidecarMustLieBesideItsOwnPicture() async throws {
        let world = try StationProofWorld(), picture = String(repeating: "b", count: 64)
        let other = String(repeating: "c", count: 64)
        let cases: [(String?, Bool)] = [(picture, true), (other, false), (nil, false)]
        for (beside, isProven) in cases {
            world.catalog.set(copies: [
                world.said(at: "shared|\(world.mark)", "2026/a.jpg") { $0.beside = beside },
                world.said { $0.beside = beside },
            ])
            #expect(try await world.no(.sidecar, beside: [picture]).isEmpty == isProven)
        }
    }

    // MARK: What is wanted

    @Test func theProfileOfItsCameraDecides() async throws {
        let world = try StationProofWorld()
        var acme = Profile(), other = Profile()
        (acme.matchRule.make, acme.deliver) = (Glob("Acme"), ["gallery": [.jpeg], "archive": [.jpeg]])
        (other.matchRule.make, other.deliver) = (Glob("Other"), ["gallery": [.jpeg], "nas": [.jpeg]])
        (world.profiles, world.wanted) = (ProfileSet([acme, other]), ["archive", "nas", "gallery"])
        world.stages = [StationProofWorld.Reading(make: "Other")]
        #expect(try await world.no() == "")
        // A file that does not say its camera: all of them.
        world.stages = []
        #expect(try await world.no().hasPrefix("archive: "))
        world.stages = [StationProofWorld.Reading(make: "Acme")]
        #expect(try await world.no().hasPrefix("archive: "))
    }

    @Test func whatCannotBeToldIsNoYes() async throws {
        let world = try StationProofWorld()
        world.stages = [StationProofWorld.Unknown()]
        #expect(try await world.no().contains("a stage that may decide otherwise"))
        for code in [IngestError.Code.corruptData, .unexpected] {
            world.stages = [StationProofWorld.Reading(error: IngestError(code, "It is broken."))]
            #expect(try await world.no().contains("nobody can tell which targets want it"))
        }
        (world.stages, world.wanted) = ([], [])
        #expect(try await world.no().contains("no target of this pipeline wants it"))
    }

    /// Delivered for an event: the gallery of that event is asked, and no other.
    @Test func theEventIsTheOneThatWasDeliveredFor() async throws {
        let world = try StationProofWorld()
        world.event = "wedding"
        let nas = world.said(at: "shared|\(world.mark)", "2026/a.jpg")
        world.catalog.set(copies: [nas, world.said(at: "http:https://gallery.example/:ann:wedding")])
        #expect(try await world.no() == "")
        for target in ["http:https://gallery.example/:ann:other", "http:https://gallery.example/:ann"] {
            world.catalog.set(copies: [nas, world.said(at: target)])
            #expect(try await world.no().isEmpty == false)
        }
        world.word = .lacks
        world.catalog.set(copies: [nas, world.said(at: "http:https://gallery.example/:ann:wedding")])
        #expect(try await world.no().contains("no longer has these bytes"))
    }

    /// What can only be read back is read at an address of the target's own.
    @Test(arguments: [
        ("https://s3.example/bucket/2026/a%20b.jpg", true), ("https://s3.example/bucket/2026/other.jpg", false),
        ("https://evil.example/bucket/2026/a%20b.jpg", false), ("https://s3.example/bucket/../2026/a%20b.jpg", false),
        ("17", false),
    ])
    func whatCannotBeAskedIsReadBack(_ address: String, _ isProven: Bool) async throws {
        let world = try StationProofWorld()
        (world.wanted, world.bucket) = (["bucket"], isProven ? world.bucket : address)
        if address.hasSuffix("other.jpg") { world.bucket = "" }
        world.catalog.set(copies: [world.said(at: "s3:https://s3.example/bucket:ann", address, named: "bucket")])
        let no = try await world.no()
        #expect(no.isEmpty == isProven && (isProven || no.hasPrefix("bucket: ")), "\(no)")
    }

    // MARK: How many places

    @Test func aFolderAndAGalleryAreTwoPlaces() async throws {
        let world = try StationProofWorld()
        world.copies = 2
        #expect(try await world.no() == "")
        world.wanted = ["nas"]
        #expect(try await world.no().hasPrefix("2 copies are asked for"))
    }

    /// The same shared folder by two mounts is one place, whatever the kernel calls them.
    @Test func oneMarkIsOnePlace() {
        var places = CopyPlaces()
        places.add(path: "/", mark: "a", nil)
        places.add(path: "/proc", mark: "a", nil)
        #expect(places.count == 1)
        places.add(path: "/proc", mark: "b", nil)
        #expect(places.count == 2)
    }

    // MARK: The catalogue

    @Test func aCatalogueThatDoesNotAnswerIsSaidInWords() async throws {
        let world = try StationProofWorld()
        world.catalog.set(away: IngestError(.unavailable, "db1: timed out"))
        #expect(try await world.no() == "never ingested here; the catalogue did not answer")
        #expect(try await world.finding().unanswered == "db1: timed out")
        world.catalog.set(away: nil)
        world.catalog.set(copies: [], after: .seconds(30))
        world.patience = .milliseconds(50)
        let begin = ContinuousClock.now, words = try await world.finding().unanswered
        #expect(words?.hasPrefix("memory: no answer within") == true, "\(words ?? "nothing")")
        #expect(ContinuousClock.now - begin < .seconds(20))
    }

    @Test func filesAreAskedForManyAtATime() async {
        let catalog = MemoryCatalog(), names = (0..<600).map { "digest \($0)" }
        let copies = (0..<30_000).map { number in
            CatalogCopy(sha256: names[number % 600], station: "desk-\(number)", state: .done, place: "nas", at: 1)
        }
        catalog.set(copies: copies)
        let answer = await StationLookup(catalog: catalog).copies(of: names + names)
        #expect(
            answer.failure == nil && answer.copies.count == 600 && answer.copies.values.allSatisfy { $0.count == 50 })
        // 256 files have 12,800 lines: more than a catalogue says at once.
        #expect(catalog.lookups.max() == 256 && catalog.lookups.count == 7)
    }

    // MARK: A file that this station took for another target

    @Test func aTargetThatOnlyAnotherStationServedIsAskedToo() async throws {
        let world = try StationProofWorld(), entry = world.entry()
        var asset = AssetRow(origin: entry.origin, run: 1, kind: .jpeg, shot: entry.shot, at: 1)
        (asset.content, asset.wanted, asset.ending) = (
            ContentKey(sha256: StationProofWorld.sha256), ["folder:\(world.archive)"], .delivered
        )
        try world.put("test", at: "archive/a.jpg")
        let receipt = Receipt(
            state: .done, path: "\(world.archive)/a.jpg", sha256: StationProofWorld.sha256, verified: .reread, at: 1)
        world.ledger = StationProofWorld.Rows(
            asset: asset,
            rows: [
                DeliveryRow(
                    content: ContentKey(sha256: StationProofWorld.sha256), target: "folder:\(world.archive)",
                    targetName: "archive", receipt: receipt, size: 4, path: "a.jpg")
            ])
        let finding = try await world.finding()
        #expect(finding.verdict == .proven && finding.asked == ["nas", "gallery"])
        #expect(Set(finding.copies) == ["\(world.nas)/2026/a.jpg", "\(world.archive)/a.jpg"])
        world.word = .lacks
        #expect(try await world.no().hasPrefix("gallery: "))
        world.word = .has
        try world.put("tesu", at: "archive/a.jpg")
        #expect(try await world.no().hasPrefix("archive: "))
        world.catalog.set(away: IngestError(.unavailable, "away"))
        #expect(
            try await world.no()
                == "nas: never delivered there, and the pipeline wants it; the catalogue did not answer")
    }

    // MARK: Any order of things

    @Test func aYesNeedsBothPlacesNow() async throws {
        let world = try StationProofWorld()
        var random = SeededRandomNumbers(20), yeses = 0
        for _ in 0..<200 {
            let text: String? = ["test", "test", "tesu", nil][random.below(4)]
            let states: [CatalogCopy.State] = [.done, .claimed, .unsure, .removed, .seen]
            world.word = random.below(2) == 0 ? .has : StationProofWorld.Word.allCases[random.below(4)]
            try world.put(text, at: "nas/2026/a.jpg")
            let there = [random.below(4) > 0, random.below(4) > 0], state = states[random.below(5)]
            let rows = [world.said(at: "shared|\(world.mark)", "2026/a.jpg"), world.said { $0.state = state }]
            world.catalog.set(copies: zip(rows, there).filter { $0.1 }.map { $0.0 })
            let isSafe = try await world.no().isEmpty
            #expect(isSafe == (text == "test" && world.word == .has && there == [true, true] && state != .seen))
            if isSafe { yeses += 1 }
        }
        #expect(yeses > 20)
    }
}

@Suite struct AddressBelowTests {
    @Test func addressesOfTheTargetItself() {
        let one = AddressBelow("https://s3.example/bucket/2026/a%20b.jpg", base: "https://s3.example/bucket")
        #expect(one?.path == "2026/a b.jpg" && one?.url == "https://s3.example/bucket/2026/a%20b.jpg")
        #expect(AddressBelow("https://dav.example/%C3%A4.jpg", base: "https://dav.example/")?.path == "ä.jpg")
    }

    @Test(arguments: [
        "https://s3.example/bucket", "https://s3.example/bucket/", "https://s3.example/bucket2/a.jpg",
        "https://evil.example/bucket/a.jpg", "https://s3.example/bucket/../other/a.jpg",
        "https://s3.example/bucket/%2e%2e/a.jpg", "https://s3.example/bucket/%2E./a.jpg",
        "https://s3.example/bucket/a%2fb", "https://s3.example/bucket/a?x=1", "https://s3.example/bucket/a#b",
        "https://s3.example/bucket/.filmgate/1.part",
        "https://s3.example/bucket//a", "https://s3.example/bucket/a\\b", "https://s3.example/bucket/a%5cb",
        "https://s3.example/bucket/%00", "https://s3.example/bucket/%zz", "https://s3.example/bucket/a%2",
        "https://s3.example/bucket/%ff", "https://s3.example/bucket/a b", "",
    ])
    func othersAreNone(_ text: String) { #expect(AddressBelow(text, base: "https://s3.example/bucket") == nil) }
}
