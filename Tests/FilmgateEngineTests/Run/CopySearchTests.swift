import FilmgateCore
import Foundation
import Testing

@testable import FilmgateEngine

/// What is told of copies that are gone.
@Suite struct CopySearchTests {
    /// The listing of the last folder is as old as the search; what a run delivers to it later is there.
    @Test func aCopyThatCameAfterTheFolderWasListedIsThere() throws {
        let folder =
            FileManager.default.temporaryDirectory.path + "/filmgate-copies-\(UInt64.random(in: 0...UInt64.max))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        func copy(_ name: String) -> DeliveredCopy {
            DeliveredCopy(target: "t", targetName: "t", path: "\(folder)/\(name)", denial: nil)
        }
        let search = CopySearch(["t"])
        search.look(copy("GONE.JPG"))
        try Data("test".utf8).write(to: URL(fileURLWithPath: folder + "/NEW.JPG"))
        search.look(afterDelivery: ["GONE.JPG", "LOST.JPG", "NEW.JPG"].map(copy))
        #expect(search.found.map(\.count) == [2])
    }
}
