import Foundation
import TestThreads
import Testing

/// Shipped profiles, and what `profile show` says of them.
@Suite(.ownThreads) struct ShippedProfileTests {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .path

    @Test(arguments: [
        ("Canon Canon EOS R6", "local", "CR3"), ("NIKON CORPORATION NIKON Z 9", "local", "NEF"), ("SONY ILCE-1", "utc", "ARW"),
        ("FUJIFILM X-T5", "local", "RAF"), ("Panasonic DC-S5M2", "local", "RW2"), ("OM Digital Solutions, OM-1", "local", "ORF"),
        ("OLYMPUS CORPORATION E-M1", "local", "ORF"), ("LEICA CAMERA AG LEICA Q3", "local", "DNG"), ("PENTAX K-3", "local", "PEF"),
        ("RICOH IMAGING GR III", "local", "DNG"), ("GoPro HERO11", "utc", "GPR"), ("GoPro HERO9 Black", "local", "GPR"),
        ("Apple iPhone 15", "utc", "DNG"),
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
        let run = try Program.run(["profile", "show", "Canon Canon EOS R6", "--pipeline", pipeline, "--json"], in: Self.root)
        let shown = try #require(run.items("profile").first, "\(run.errors)")
        let clock = try #require(shown["movie_clock"] as? [String: Any])
        #expect(clock["value"] as? String == "utc")
        #expect((clock["file"] as? String)?.hasSuffix("own.yaml") == true)
        #expect((shown["habits"] as? [String: Any])?["files"] != nil)
    }

    /// Which of its files would count is chance.
    @Test func aFolderIsNoCamera() throws {
        let table = try Table()
        try table.sampleCard()
        let run = try table.run(["profile", "show", table.card, "--pipeline", Self.root + "/pipelines/all-makes.yaml"], in: Self.root)
        let error = try #require(run.items("error").first, "\(run.output)")
        #expect(run.status == 5 && run.items("profile").isEmpty)
        #expect((error["message"] as? String)?.contains("CARD` is a folder") == true, "\(error)")
        #expect((error["advice"] as? String)?.hasPrefix("Name one file in it") == true)
    }
}
