import FilmgateSample
import Foundation
import Testing

/// The folder that a gallery is given may be one that somebody has files in.
@Suite struct GalleryFolderTests {
    @Test func onlyWhatItLeftUnfinishedItselfGoes() throws {
        let folder = try TemporaryFolder(), incoming = folder.path + "/incoming"
        defer { withExtendedLifetime(folder) {} }
        try FileManager.default.createDirectory(atPath: incoming, withIntermediateDirectories: true)
        let theirs = ["IMG_1.JPG", "clip.part", "1f.part.jpg", "001f.part", "FF.part", "-1.part", ".part"]
        for name in theirs + ["1f.part", "ffffffffffffffff.part"] {
            try Data("x".utf8).write(to: URL(fileURLWithPath: incoming + "/" + name))
        }
        _ = try GalleryServer(directory: folder.path, token: "t0ken")
        #expect(try FileManager.default.contentsOfDirectory(atPath: incoming).sorted() == theirs.sorted())
    }
}
