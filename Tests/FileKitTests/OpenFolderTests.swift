import FilmgateCore
import Glibc
import Testing

@testable import FileKit

@Suite struct OpenFolderTests {
    let scratch: Scratch
    init() throws { scratch = try Scratch() }

    @Test func whatHasTheNameIsMovedAside() throws {
        try scratch.file("a.jpg", [1])
        let folder = try OpenFolder(scratch.path)
        try folder.moveAside("a.jpg", to: ".away")
        #expect(try folder.facts(of: "a.jpg") == nil && folder.facts(of: ".away")?.size == 1)
        #expect(code { try folder.moveAside("a.jpg", to: ".other") } == .notFound)
        try folder.remove(".away")
        #expect(try scratch.names().isEmpty)
    }

    @Test func nothingIsReplacedOnTheWayBack() throws {
        try scratch.file(".away", [1])
        let taken = try scratch.file("a.jpg", [9]), folder = try OpenFolder(scratch.path)
        #expect(code { try folder.moveBack(".away", to: "a.jpg") } == .nameTaken)
        #expect(try bytes(taken) == [9])
        #expect(try folder.moveBack(".away", to: "b.jpg"))
        #expect(try scratch.names() == ["a.jpg", "b.jpg"])
        var calls = OpenFolder.Calls()
        calls.rename = { _, _, _ in EOPNOTSUPP }
        let poor = try OpenFolder(scratch.path, calls: calls)
        #expect(try !poor.moveBack("b.jpg", to: "c.jpg"))
        #expect(try scratch.names() == ["a.jpg", "b.jpg"])
    }

    /// Another folder has come under its path: what is done is done in the one that was opened.
    @Test func itStaysTheFolderThatWasOpened() throws {
        #expect(mkdir(scratch.path + "/day1", 0o755) == 0)
        try scratch.file("day1/a.jpg", [1])
        let folder = try OpenFolder(scratch.path + "/day1")
        #expect(rename(scratch.path + "/day1", scratch.path + "/day2") == 0)
        #expect(mkdir(scratch.path + "/day1", 0o755) == 0)
        try scratch.file("day1/a.jpg", [2])
        try folder.remove("a.jpg")
        #expect(try bytes(scratch.path + "/day1/a.jpg") == [2])
        #expect(code { _ = try OpenFolder(scratch.path + "/none") } == .notFound)
    }

    @Test func noLinkIsFollowedBelowTheTrustedFolder() throws {
        #expect(mkdir(scratch.path + "/top", 0o755) == 0 && mkdir(scratch.path + "/top/day1", 0o755) == 0)
        #expect(mkdir(scratch.path + "/other", 0o755) == 0 && symlink("../other", scratch.path + "/top/link") == 0)
        try scratch.file("top/day1/a.jpg", [1])
        try scratch.file("other/a.jpg", [2])
        let root = scratch.path + "/top"
        #expect(try OpenFolder("day1", below: root).facts(of: "a.jpg") != nil)
        #expect(try OpenFolder("", below: root).facts(of: "day1")?.kind == .directory)
        for path in ["link", "../other", "day1/../../other"] {
            #expect(code { _ = try OpenFolder(path, below: root) } != nil, "\(path)")
        }
    }
}
