import FileKit
import FilmgateCore
import Foundation
import Glibc
import Logging
import Testing

@testable import FolderTarget

/// A folder of its own, with a staging area, a state directory and a target below it; removed with the value.
final class Fixture: Sendable {
    let path: String
    var root: String { path + "/pictures" }
    var state: String { path + "/state" }

    init() throws {
        path = FileSystem.canonical(NSTemporaryDirectory()) + "/folder-" + UUID().uuidString
        for name in ["", "/state", "/card", "/stage"] {
            try FileManager.default.createDirectory(atPath: path + name, withIntermediateDirectories: true)
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func target(_ edit: (inout FolderTarget.Config) -> Void = { _ in }) throws -> FolderTarget {
        var config = FolderTarget.Config()
        config.path = Template(root + "/{event}")
        edit(&config)
        return try FolderTarget(config, ModuleContext(name: "archive", logger: Logger(label: "test"), state: state))
    }

    /// A job for `bytes` at `path`; the file lies on the card, or in staging when the target may take it.
    func job(_ path: String, _ bytes: [UInt8], take: Bool = false) throws -> UploadJob {
        let file = "\(self.path)/\(take ? "stage" : "card")/\(UUID().uuidString)"
        try write(bytes, file)
        let times = [timeval(tv_sec: 0, tv_usec: 0), timeval(tv_sec: 1_700_000_001, tv_usec: 250_000)]
        #expect(utimes(file, times) == 0)
        let origin = Origin(
            source: "card", volume: "V", root: self.path + "/card", path: "IMG.JPG", size: UInt64(bytes.count),
            modified: Self.modified)
        var hasher = MultiHasher([.xxh128])
        hasher.update(bytes.span.bytes)
        return UploadJob(
            asset: Asset(origin: origin, kind: .jpeg, shot: ShotPlace(key: "k", stem: "IMG")),
            file: LocalFile(path: file, size: UInt64(bytes.count), ownership: take ? .staged : .source),
            digests: hasher.finish(), path: path, name: "IMG.JPG", values: TemplateValues(), mayTake: take)
    }

    static let modified: Int64 = 1_700_000_001_250_000_000

    /// Everything below the root, folders with a `/` behind them.
    func tree(below folder: String? = nil) throws -> [String] {
        let base = folder ?? root
        var found: [String] = []
        try DirectoryScan(root: base).run { entry in
            found.append(entry.type == .folder ? entry.path + "/" : entry.path)
            return .proceed
        }
        return found.sorted()
    }
}

func write(_ bytes: [UInt8], _ path: String) throws {
    let part = FileManager.default.temporaryDirectory.path + "/write-" + UUID().uuidString
    try Data(bytes).write(to: URL(fileURLWithPath: part))
    let code = withCPath(part) { old in withCPath(path) { new in link(old, new) == 0 ? 0 : errno } }
    #expect(code == 0)
    unlink(part)
}

func bytes(_ path: String) throws -> [UInt8] { try #require(try FileSystem.contents(of: path)) }

func text(_ path: String) throws -> String { String(decoding: try bytes(path), as: UTF8.self) }

/// The code of the error that `body` throws, nil when it throws none.
func code<Value>(_ body: () async throws -> Value) async -> IngestError.Code? {
    do {
        _ = try await body()
        return nil
    } catch { return (error as? IngestError)?.code ?? .unexpected }
}

func delivered(_ receipt: Receipt, _ job: UploadJob) throws -> DeliveredFile {
    DeliveredFile(
        path: try #require(receipt.path), size: job.file.size, digests: job.digests, modified: Fixture.modified)
}
