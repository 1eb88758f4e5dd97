import FilmgateCore
import Testing

@testable import FilmgateEngine

/// Paths below a target, from the facts of a file and of its shot's primary.
@Suite struct NamerTests {
    private func asset(_ path: String) -> Asset {
        let origin = Origin(source: "card", volume: "v", root: "/card", path: path, size: 1, modified: 0)
        let name = FileName(origin.name)
        return Asset(
            origin: origin, kind: MediaKind(fileName: origin.name), shot: ShotPlace(key: path, stem: name.stem))
    }

    private func path(_ name: String, _ layout: String, suffix: Int = 1, _ more: [String: String] = [:]) throws
        -> String
    {
        let file = FileName(name), namer = Namer(layout: try #require(Template(layout)), rename: nil)
        let text = ["name": name, "stem": file.stem, "ext": file.ext].merging(more) { $1 }
        let values = TemplateValues(text: text)
        return namer.path(of: asset(name), values: values, lead: nil, suffix: suffix)
    }

    @Test func onlyWhatIsTooLongIsCut() throws {
        let long = String(repeating: "a", count: 251) + ".JPG"
        #expect(try path("IMG_1.JPG", "x/{name}", suffix: 2) == "x/IMG_1-2.JPG")
        #expect(try path(long, "x/{name}") == "x/" + long)
        #expect(try path(long, "x/{name}", suffix: 12) == "x/" + String(repeating: "a", count: 248) + "-12.JPG")
        // Short in itself, too long with what stands before it.
        let before = String(repeating: "b", count: 245)
        let twin = try path("IMG_1.JPG", before + "{name}", suffix: 2)
        #expect(twin == before + "IMG_-2.JPG")
        #expect(
            try path("IMG_1.JPG", String(repeating: "c", count: 300) + "/{name}") == String(repeating: "c", count: 255)
                + "/IMG_1.JPG")
    }

    @Test func aSuffixShowsInNamesThatAreMadeOfOtherThings() throws {
        #expect(try path("IMG_1.JPG", "x.y/{model}.{ext}", suffix: 2, ["model": "M"]) == "x.y/M-2.JPG")
        #expect(try path("IMG_1", "{model}.{ext}", suffix: 3, ["model": "M"]) == "M-3")
        #expect(try path("IMG_1.JPG", "{stem}/{model}.{ext}", suffix: 2, ["model": "M"]) == "IMG_1-2/M.JPG")
        let long = String(repeating: "m", count: 251)
        #expect(
            try path("IMG_1.JPG", "x/{model}.{ext}", suffix: 2, ["model": long]) == "x/" + long.dropLast(2) + "-2.JPG")
    }

    @Test func noFolderIsNameless() throws {
        #expect(try path("DATA", "{ext}/{name}") == "DATA")
        #expect(try path("DATA", "a//{stem}") == "a/DATA")
    }

    private func values(_ name: String, _ facts: [String: String], _ captured: String) throws -> TemplateValues {
        let file = FileName(name), kind = MediaKind(fileName: name).rawValue
        let text = ["name": name, "stem": file.stem, "ext": file.ext, "kind": kind, "shot": "S"].merging(facts) { $1 }
        return TemplateValues(text: text, captured: CivilTime(captured), counter: 3)
    }

    /// `name` of a shot whose primary is `lead`; its own facts are all others.
    private func beside(
        _ name: String, of lead: String, _ layout: String, rename: String? = nil, sidecarOf: String? = nil,
        suffix: Int = 1
    ) throws -> String {
        var asset = asset(name)
        asset.shot.sidecarOf = sidecarOf
        let keys = ["make", "model", "serial", "photographer"]
        let own = try values(name, Dictionary(uniqueKeysWithValues: keys.map { ($0, "other") }), "2026-05-01T00:00:01")
        let first = try values(lead, Dictionary(uniqueKeysWithValues: keys.map { ($0, $0) }), "2026-04-30T23:59:59")
        return Namer(layout: try #require(Template(layout)), rename: rename.flatMap(Template.init))
            .path(of: asset, values: own, lead: first, suffix: suffix)
    }

    @Test(arguments: [
        ("C0001M01.XML", "C0001.MP4"), ("C0001.THM", "C0001.MP4"), ("IMG_1.xmp", "IMG_1.CR3"),
        ("IMG_1.WAV", "IMG_1.JPG"),
    ])
    func companionsLieBesideTheirPrimary(name: String, lead: String) throws {
        for variable in [
            "make", "model", "serial", "photographer", "captured:yyyy-MM-dd", "kind", "ext", "stem", "name", "counter",
        ] {
            let layout = "a/x-{\(variable)}-y/{name}"
            let facts = ["make": "make", "model": "model", "serial": "serial", "photographer": "photographer"]
            let primary = try values(lead, facts, "2026-04-30T23:59:59")
            let home = try #require(Template("a/x-{\(variable)}-y/")).rendered(with: primary)
            #expect(try beside(name, of: lead, layout) == home + name, "\(variable)")
        }
        // In the name itself too: what belongs together begins alike.
        #expect(try beside(name, of: lead, "{serial}_{captured:yyyyMMdd}_{name}") == "serial_20260430_" + name)
    }

    @Test func aRenamedShotLiesInItsRenamedFolder() throws {
        #expect(try beside("I.CR3.xmp", of: "I.CR3", "{make}.{ext}", sidecarOf: "CR3") == "make.CR3.xmp")
        #expect(
            try beside("I.CR3.xmp", of: "I.CR3", "x/{make}.{ext}", sidecarOf: "CR3", suffix: 2) == "x/make-2.CR3.xmp")
        #expect(try beside("I.xmp", of: "I.CR3", "{make}.{ext}", suffix: 2) == "make-2.xmp")
        let layout = "{stem}/{name}", rename = "N{counter}"
        #expect(
            try beside("IMG_1.CR3.xmp", of: "IMG_1.CR3", layout, rename: rename, sidecarOf: "CR3", suffix: 2)
                == "N3-2/N3-2.CR3.xmp")
        #expect(
            try beside("IMG_1.JPG.xmp", of: "IMG_1.CR3", "{ext}/{kind}/{name}", sidecarOf: "JPG")
                == "JPG/jpeg/IMG_1.JPG.xmp")
        #expect(try beside("IMG_1.CR3.xmp", of: "IMG_1.CR3", "{ext}/{name}", sidecarOf: "CR3") == "CR3/IMG_1.CR3.xmp")
    }

    /// RAW and JPEG, or the parts of a clip: one folder over midnight, but a folder for each kind where that is asked
    /// for.
    @Test func theOtherPicturesOfAShotLieWithItsPrimary() throws {
        #expect(
            try beside("IMG_1.JPG", of: "IMG_1.CR3", "{captured:yyyy-MM-dd}/{serial}/{name}")
                == "2026-04-30/serial/IMG_1.JPG")
        #expect(try beside("IMG_1.JPG", of: "IMG_1.CR3", "{kind}/{ext}/{name}") == "jpeg/JPG/IMG_1.JPG")
        #expect(try beside("B.MP4", of: "A.MP4", "{stem}/{captured:HHmmss}_{name}") == "B/000001_B.MP4")
    }
}
