import Foundation
import TestThreads
import Testing

/// Shipped profiles, and what `profile show` says of them.
@Suite(.ownThreads) struct ShippedProfileTests {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .path

    @Test(arguments: [
        ("Canon Canon EOS R6", "local", "CR3"), ("NIKON CORPORATION NIKON Z 9", "local", "NEF"),
        ("SONY ILCE-1", "utc", "ARW"), ("FUJIFILM X-T5", "local", "RAF"), ("Panasonic DC-S5M2", "local", "RW2"),
        ("OM Digital Solutions, OM-1", "local", "ORF"),
        ("OLYMPUS CORPORATION E-M1", "local", "ORF"), ("LEICA CAMERA AG LEICA Q3", "local", "DNG"),
        ("PENTAX K-3", "local", "PEF"), ("RICOH IMAGING GR III", "local", "DNG"), ("GoPro HERO11", "utc", "GPR"),
        ("GoPro HERO9 Black", "local", "GPR"), ("Apple iPhone 15", "utc", "DNG"),
    ])
    func everyMakeHasItsHabits(_ camera: String, _ clock: String, _ raw: String) throws {
        let pipeline = Self.root + "/pipelines/all-makes.yaml"
        let run = try Program.run(["profile", "show", camera, "--pipeline", pipeline, "--json"], in: Self.root)
        #expect(run.status == 0, "\(run.errors)")
        let shown = try #require(run.items("profile").first)
        #expect((shown["movie_clock"] as? [String: Any])?["value"] as? String == clock)
        #expect(((shown["habits"] as? [String: Any])?["raw"] as? String)?.contains(raw) == true)
    }

    @Test func onesOwnRuleWinsOverTheShippedOne() throws {
        let table = try Table()
        let pipeline = try table.write(
            "own.yaml",
            """
            version: 1
            include: [canon]
            profiles:
              - match: { make: "Canon*", model: "*R6*" }
                movie_clock: utc
                photographer: Ann
            stages: [ { upload: { to: [a] } } ]
            targets: { a: { folder: { path: "\(table.archive)" } } }
            """)
        let run = try Program.run(
            ["profile", "show", "Canon Canon EOS R6", "--pipeline", pipeline, "--json"], in: Self.root)
        let shown = try #require(run.items("profile").first, "\(run.errors)")
        let clock = try #require(shown["movie_clock"] as? [String: Any])
        #expect(clock["value"] as? String == "utc")
        #expect((clock["file"] as? String)?.hasSuffix("own.yaml") == true)
        #expect((shown["habits"] as? [String: Any])?["files"] != nil)
    }

    /// An AVCHD clip says its model in letters and its make only as a number.
    @Test func aProfileByMakeTakesAVCHDClips() throws {
        let table = try Table()
        let pipeline = try table.write(
            "make.yaml",
            """
            version: 1
            sources: [ { card: {} } ]
            profiles: [ { match: { make: Sony }, photographer: Ann } ]
            stages: [ { exif: {} }, { dedupe: {} }, { upload: { to: [archive] } } ]
            targets: { archive: { folder: { path: "\(table.archive)/{make}/{photographer}/{name}" } } }
            """)
        try table.write("CARD/PRIVATE/AVCHD/BDMV/STREAM/00000.MTS", Data(Self.clip))
        let run = try table.run(["import", table.card, "--pipeline", pipeline])
        #expect(
            run.status == 0 && table.files(table.archive).keys.contains { $0.hasPrefix("Sony/Ann/") }, "\(run.output)")
    }

    /// Profile, folder and name follow the frame of the shot that can be read: a RAW of next year's format, or a
    /// damaged one, keeps to its JPEG.
    @Test func anUnreadableRawFollowsItsJPEG() throws {
        let table = try Table()
        try table.sampleCard()
        let jpeg = try #require(FileManager.default.contents(atPath: table.card + "/DCIM/100CANON/IMG_0003.JPG"))
        try table.write("SHOTS/DCIM/100CANON/IMG_0001.JPG", jpeg)
        try table.write("SHOTS/DCIM/100CANON/IMG_0001.CR3", Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 7) }))
        let pipeline = try table.write(
            "make.yaml",
            """
            version: 1
            sources: [ { card: {} } ]
            profiles: [ { match: { make: "Canon*" }, photographer: Ann, rename: "{photographer}-{counter:3}" } ]
            stages: [ { exif: {} }, { dedupe: {} }, { upload: { to: [archive] } } ]
            targets: { archive: { folder: { path: "\(table.archive)/{make}/{photographer}" } } }
            """)
        let run = try table.run(["import", table.path("SHOTS"), "--pipeline", pipeline])
        #expect(run.status == 0, "\(run.output)")
        #expect(table.files(table.archive).keys.sorted() == ["Canon/Ann/Ann-001.CR3", "Canon/Ann/Ann-001.JPG"])
    }

    /// Packets of one picture whose user data holds date, make and model as camcorders write them.
    private static let clip: [UInt8] = {
        let marker: [UInt8] = [
            0x17, 0xEE, 0x8C, 0x60, 0xF8, 0x4D, 0x11, 0xD9, 0x8C, 0xD6, 0x08, 0x00, 0x20, 0x0C, 0x9A, 0x66,
        ]
        let date: [UInt8] = [9, 0x14, 0, 0, 3, 0, 0, 0x18, 0x44, 0x20, 0x26, 0x05, 0x19, 0x01, 0x12, 0x30, 0x05]
        let exposure: [UInt8] = [0xA0, 0, 1, 0, 50, 0xA1, 0, 63, 0, 10]
        let make: [UInt8] = [0xE0, 1, 8, 0x30, 1]
        let model = [0xE4] + Array("ILCE".utf8) + [0xE5] + Array("-7M3".utf8) + [0xE6, 0, 0, 3, 0, 0]
        let sequence: [UInt8] = [
            0x67, 0x64, 0, 0x28, 0xAC, 0xD9, 0x40, 0x78, 0x02, 0x27, 0xE5, 0xC0, 0x44, 0, 0, 3, 0, 4, 0, 0, 3, 0, 0xF0,
            0x3C, 0x60, 0xC6, 0x58,
        ]
        var payload: [UInt8] = [0, 0, 1] + sequence + [0, 0, 1]
        payload += [UInt8](repeating: 0xAB, count: 110) + marker + Array("MDPM".utf8)
        payload += date + exposure + make + model + [UInt8](repeating: 0xCD, count: 400)
        var packets: [UInt8] = []
        for start in stride(from: 0, to: payload.count, by: 184) {
            var part = Array(payload[start..<min(start + 184, payload.count)])
            part += [UInt8](repeating: 0xFF, count: 184 - part.count)
            packets += [0, 0, 0, 0, 0x47, 0x10, 0x11, 0x10] + part
            packets += [0, 0, 0, 0, 0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0, count: 184)
        }
        return packets
    }()

    /// Which of its files would count is chance.
    @Test func aFolderIsNoCamera() throws {
        let table = try Table()
        try table.sampleCard()
        let run = try table.run(
            ["profile", "show", table.card, "--pipeline", Self.root + "/pipelines/all-makes.yaml"], in: Self.root)
        let error = try #require(run.items("error").first, "\(run.output)")
        #expect(run.status == 5 && run.items("profile").isEmpty)
        #expect((error["message"] as? String)?.contains("CARD` is a folder") == true, "\(error)")
        #expect((error["advice"] as? String)?.hasPrefix("Name one file in it") == true)
    }
}
