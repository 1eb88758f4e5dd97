import FilmgateCore
import Foundation
import Testing

@testable import FileKit

/// A path from elsewhere must not lead out of the folder that is trusted.
@Suite struct RootedFileTests {
    private func with(_ body: (_ root: String, _ outside: String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.path + "/filmgate-rooted-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder + "/root/inner", withIntermediateDirectories: true)
        try Data("inside".utf8).write(to: URL(fileURLWithPath: folder + "/root/inner/a"))
        try Data("secret".utf8).write(to: URL(fileURLWithPath: folder + "/secret"))
        try body(folder + "/root", folder + "/secret")
    }

    @Test func whatLiesBelowIsRead() throws {
        try with { root, _ in
            let file = try RootedFile("inner/a", below: root)
            #expect(try file.bytes(in: 0..<100) == Array("inside".utf8) && file.facts.size == 6)
            // The trusted folder itself may be reached by a link.
            let other = root + "-link"
            try FileManager.default.createSymbolicLink(atPath: other, withDestinationPath: root)
            #expect(try RootedFile("inner/a", below: other).bytes(in: 2..<4) == Array("si".utf8))
        }
    }

    @Test func linksAndWaysOutAreRefused() throws {
        try with { root, outside in
            let files = FileManager.default
            try files.createSymbolicLink(atPath: root + "/link", withDestinationPath: outside)
            try files.createSymbolicLink(atPath: root + "/inner/own", withDestinationPath: "a")
            try files.createSymbolicLink(atPath: root + "/folder", withDestinationPath: "inner")
            for path in [
                "link", "inner/own", "folder/a", "../secret", "inner/../../secret", outside, "inner", "nothing", "",
                "inner/a\0",
            ] {
                #expect(throws: IngestError.self, "\(path)") { try RootedFile(path, below: root) }
            }
            try #require(mkfifo(root + "/fifo", 0o600) == 0)
            #expect(throws: IngestError.self) { try RootedFile("fifo", below: root) }
            #expect(throws: IngestError.self) { try RootedFile("a", below: root + "/inner/a") }
        }
    }
}
