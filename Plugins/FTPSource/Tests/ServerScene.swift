import FilmgateCore
import Foundation
import Logging
import Synchronization

@testable import FTPKit

/// A server by itself, with an inbox in a folder of its own.
final class ServerScene {
    let folder: String, server: FTPServer, log = Log()

    /// What the server said, line by line.
    final class Log: Sendable {
        let lines = Mutex<[String]>([])
        func count(of word: String) -> Int { lines.withLock { $0.filter { $0.contains(word) }.count } }
    }
    private struct Handler: LogHandler {
        let log: Log
        var metadata: Logger.Metadata = [:], logLevel = Logger.Level.info
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) { log.lines.withLock { $0.append("\(event.message)") } }
    }

    /// `directory`: who says who may log in, in place of a list.
    init(
        logins directory: (any FTPLoginDirectory)? = nil, _ change: (inout FTPServerOptions) -> Void = { _ in }
    ) async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("filmgate-ftp-\(UUID().uuidString)").path
        var options = FTPServerOptions()
        options.port = 0
        change(&options)
        let logins = ["ann", "bob"].map {
            FTPLogin(user: $0, password: SecretValue(PushScene.password($0)), folder: $0)
        }
        let log = log
        server = try FTPServer(
            options, logins: directory ?? FTPLoginList(logins),
            logger: Logger(label: "test") { _ in Handler(log: log) },
            to: FTPDestination(inbox: try FTPInbox(folder, limit: 1 << 40)) { _ in })
        try await server.start()
    }

    func files() throws -> [FTPFile] { try server.inbox.files() }

    func close() async {
        await server.stop()
        try? FileManager.default.removeItem(atPath: folder)
    }
}
