import FilmgateCore
import FolderSource
import Foundation
import Logging

/// A hot folder of a test's own, removed afterwards, and what its source tells.
final class HotFolder {
    /// What the session with a hot folder can do.
    typealias Session = ReceivingSession & DiagnosingSession & ConcludingSession & ConditionReportingSession

    let path: String, source: FolderSource
    let session: any Session
    let listed: [SourceEntry]
    private let news: AsyncStream<SourceNews>

    init(
        _ files: [String: Data] = [:], at place: String? = nil, lookup: Lookup = Lookup(), logger: Logger? = nil,
        _ change: (inout FolderSource.Config) -> Void = { _ in }
    ) async throws {
        path =
            place
            ?? FileManager.default.temporaryDirectory.appendingPathComponent("filmgate-hot-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for (name, data) in files { try Self.write(data, to: path + "/" + name) }
        var config = FolderSource.Config()
        (config.path, config.settle, config.companions) = (path, .milliseconds(60), .milliseconds(400))
        (config.incomplete, config.poll) = (.seconds(3600), .milliseconds(100))
        change(&config)
        let logger = logger ?? Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        source = try FolderSource(config, ModuleContext(name: "folder", logger: logger, state: "", lookup: lookup))
        guard let session = try await source.open(try await source.places()[0]) as? any Session else {
            throw IngestError(.unexpected, "The session cannot do what a hot folder's can.")
        }
        self.session = session
        listed = try await session.entries()
        news = try await session.arrivals()
    }

    func close() async {
        await session.close()
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The next file that is handed on; nil when the source ends.
    func next() async -> SourceEntry? {
        for await item in news { if case .arrived(let entry) = item { return entry } }
        return nil
    }

    func names(_ count: Int) async -> [String] {
        var names: [String] = []
        while names.count < count, let entry = await next() { names.append(entry.origin.path) }
        return names
    }

    func put(_ name: String, _ data: Data = HotFolder.jpeg(1)) throws { try Self.write(data, to: path + "/" + name) }

    static func write(_ data: Data, to path: String) throws {
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        guard FileManager.default.createFile(atPath: path, contents: data) else { throw CocoaError(.fileWriteUnknown) }
    }

    /// A whole JPEG; different for each number.
    static func jpeg(_ number: Int) -> Data {
        let text = Array("frame \(number)".utf8)
        return Data([0xFF, 0xD8, 0xFF, 0xFE, 0, UInt8(text.count + 2)] + text + [0xFF, 0xD9])
    }
}
