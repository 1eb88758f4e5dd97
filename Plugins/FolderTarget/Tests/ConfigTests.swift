import FilmgateCore
import Glibc
import Testing

@testable import FolderTarget

@Suite struct ConfigTests {
    struct Cut: Sendable { var source: String, fixed: String, rest: String }

    @Test(arguments: [
        Cut(source: "/a/b", fixed: "/a/b", rest: ""),
        Cut(source: "/a/{event}/{captured:yyyy}", fixed: "/a/", rest: "{event}/{captured:yyyy}"),
        Cut(source: "/a/pre-{event}", fixed: "/a/", rest: "pre-{event}"),
        Cut(source: "/{event}", fixed: "/", rest: "{event}"),
        Cut(source: "/a{{b}}/c{event}//x/", fixed: "/a{b}/", rest: "c{event}/x"),
        Cut(source: "{event}", fixed: "", rest: "{event}"),
    ])
    func aPathIsCutWhereItBeginsToVary(cut: Cut) {
        let found = FolderLayout.cut(cut.source)
        #expect(found.fixed == cut.fixed)
        #expect(found.rest == cut.rest)
    }

    @Test func traitsSayWhatTheEngineNeeds() throws {
        let fixture = try Fixture()
        let traits = try fixture.target().traits
        #expect(traits.identity == "folder:" + fixture.root)
        #expect(traits.localRoot == fixture.root)
        #expect(traits.layout?.source == "{event}/{name}")
        #expect(traits.digests == [.xxh128])
        #expect(traits.parallel == 4)
        #expect(traits.maxSize == nil && traits.accepts == nil)
        symlink(fixture.path, fixture.path + "/way")
        let linked = try fixture.target { $0.path = Template(fixture.path + "/way/pictures/") }
        #expect(linked.traits.identity == traits.identity)
        #expect(linked.traits.layout?.source == "{name}")
        let plain = try fixture.target { $0.verify = .size }
        #expect(plain.traits.digests.isEmpty)
    }

    /// As who writes `path` as other targets have it.
    @Test(arguments: [("/{event}/{name}", 1), ("/{event}-{name}", 1), ("/{event}/{stem}", 0), ("/{event}", 0)])
    func aFolderForEachFileIsToldOf(_ path: String, _ count: Int) throws {
        let fixture = try Fixture()
        let traits = try fixture.target { $0.path = Template(fixture.root + path) }.traits
        #expect(traits.warnings.count == count, "\(traits.warnings)")
    }

    @Test func homeIsKnown() throws {
        let home = try #require(getenv("HOME").map { String(cString: $0) })
        let fixture = try Fixture()
        let target = try fixture.target { $0.path = Template("~/Pictures-of-nobody/{event}") }
        #expect(target.traits.localRoot?.hasSuffix("/Pictures-of-nobody") == true)
        #expect(target.traits.localRoot?.hasPrefix(home) == true || FileManagerFree.isLink(home))
    }

    @Test(arguments: [
        ("Pictures/{event}", "bad-path"), ("{event}/x", "bad-path"), ("~ann/x", "bad-path"),
        ("/a/{event}/../x", "bad-path"), ("/a/{event", "bad-template"), ("/a/{nothing}", "bad-template"),
    ])
    func mistakesAreFoundWithTheirPlace(path: String, expected: String) {
        let mark = Mark(file: "p.yaml", line: 3, column: 12)
        let value = ConfigNode(.scalar(path, quoted: false), mark)
        let node = ConfigNode(
            .map([.init(.init("path", Mark(file: "p.yaml", line: 3, column: 5)), value)]), Mark(file: "p.yaml", line: 2)
        )
        var errors: [ConfigError] = []
        _ = FolderTarget.Config.schema.decode(node, errors: &errors)
        #expect(errors.map(\.code) == [expected])
        #expect(errors.first?.mark.line == 3)
        #expect((errors.first?.mark.column ?? 0) >= 12)
    }

    struct Climb: Sendable { var path: String, name: String, line: Int? = nil, column: Int? = nil }

    /// The fixed part may climb; what a photographer's values fill in may not.
    @Test(arguments: [
        Climb(path: "/a/{event}/../x", name: "{name}", line: 3, column: 23),
        Climb(path: "/a/x-{event}/.", name: "{name}", line: 3, column: 25),
        Climb(path: "/a", name: "../{name}", line: 4, column: 12),
        Climb(path: "/a/{event}", name: "{stem}/../{name}", line: 4, column: 19),
        Climb(path: "/a/{captured:yyyy/../MM}", name: "{name}", line: 3, column: 30),
        Climb(path: "/a/../b/./{event}", name: "{name}"), Climb(path: "/a/..{event}", name: "..{name}"),
        Climb(path: "/a", name: "", line: 4, column: 11), Climb(path: "/a/...", name: "{stem}..{ext}"),
    ])
    func aTemplateOnlyGoesDown(_ climb: Climb) {
        func pair(_ name: String, _ value: String, _ line: Int) -> ConfigNode.Pair {
            .init(
                .init(name, Mark(file: "p", line: line, column: 5)),
                ConfigNode(.scalar(value, quoted: true), Mark(file: "p", line: line, column: 11)))
        }
        var errors: [ConfigError] = []
        _ = FolderTarget.Config.schema.decode(
            ConfigNode(.map([pair("path", climb.path, 3), pair("name", climb.name, 4)])), errors: &errors)
        #expect(errors.map(\.code) == (climb.line == nil ? [] : ["bad-path"]))
        #expect(errors.first?.mark.line == climb.line && errors.first?.mark.column == climb.column)
    }

    @Test func theModuleIsComplete() throws {
        let entry = ModuleEntry.target(FolderTarget.self)
        #expect(entry.manifest.name == "folder")
        #expect(entry.fields.map(\.name) == ["path", "name", "verify", "mhl", "workers"])
        #expect(entry.fields.map(\.defaultText) == [nil, "{name}", "reread", "false", "4"])
        #expect(entry.lint(ConfigNode(.null)).map(\.code) == ["missing-key"])
    }
}

private enum FileManagerFree {
    static func isLink(_ path: String) -> Bool {
        var facts = stat()
        return lstat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFLNK
    }
}
