import FilmgateCore
import Testing

@testable import FilmgateEngine

/// Paths below a target, from the facts of a file and of its shot's primary.
@Suite struct NamerTests {
    private func asset(_ path: String) -> Asset {
        let origin = Origin(source: "card", volume: "v", root: "/card", path: path, size: 1, modified: 0)
        let name = FileName(origin.name)
        return Asset(origin: origin, kind: MediaKind(fileName: origin.name), shot: ShotPlace(key: path, stem: name.stem))
    }

    private func path(_ name: String, _ layout: String, suffix: Int = 1, _ more: [String: String] = [:]) throws -> String {
        let file = FileName(name), namer = Namer(layout: try #require(Template(layout)), rename: nil)
        let text = ["name": name, "stem": file.stem, "ext": file.ext].merging(more) { $1 }
        let values = TemplateValues(text: text)
        return namer.path(of: asset(name), values: values, lead: values, suffix: suffix)
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
        #expect(try path("IMG_1.JPG", String(repeating: "c", count: 300) + "/{name}") == String(repeating: "c", count: 255) + "/IMG_1.JPG")
    }

    @Test func noFolderIsNameless() throws {
        #expect(try path("DATA", "{ext}/{name}") == "DATA")
        #expect(try path("DATA", "a//{stem}") == "a/DATA")
    }
}
