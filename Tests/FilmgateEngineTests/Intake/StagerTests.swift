import FileKit
import FilmgateCore
import Foundation
import Testing

@testable import FilmgateEngine

/// A dump whose files are read where they lie.
private struct Dump: SourceSession {
    let place: SourcePlace, volume = "dump"
    let traits = SessionTraits(identifiesDevice: true, parallelFetches: 1)
    func entries() async throws(IngestError) -> [SourceEntry] { [] }
    func fetch(_ origin: Origin, from offset: UInt64, into sink: any ByteSink) async throws(IngestError) {}
    func localPath(_ origin: Origin) -> String? { origin.absolutePath }
    func close() async {}
}

@Suite struct StagerTests {
    /// A target's disk that is gone or failing keeps nothing from the other targets; where it is the only one, nothing
    /// is heaped up elsewhere.
    @Test func aDiskThatCannotBeWrittenToIsPassedOverForTheOthersSake() async throws {
        let root = NSTemporaryDirectory() + "stager-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: root) }
        let areas = [try StagingArea(root + "/failing"), try StagingArea(root + "/sound")]
        try FileManager.default.removeItem(atPath: root + "/failing")
        try Data("picture".utf8).write(to: URL(fileURLWithPath: root + "/IMG_1.JPG"))
        let modified = try #require(try FileFacts.of(root + "/IMG_1.JPG")).modified
        let origin = Origin(source: "card", volume: "dump", root: root, path: "IMG_1.JPG", size: 7, modified: modified)
        let alone = Stager(
            areas: areas, digests: [], dryRun: false, pool: BlockingPool(width: 1), hub: EventHub(),
            cancelled: CancelToken(), partialFiles: PartialFiles(areas))
        let dump = Dump(place: SourcePlace(source: "card", address: root, label: "dump"))
        await #expect(throws: IngestError.self) { _ = try await alone.stage(origin, from: dump) }
        var several = alone
        several.passesOver = true
        let (file, _) = try await several.stage(origin, from: dump)
        #expect(
            file.path.hasPrefix(root + "/sound/")
                && FileManager.default.contents(atPath: file.path) == Data("picture".utf8))
    }
}
