import FilmgateCore
import FilmgateLedger
import Foundation
import Glibc
import Testing

/// A state directory below the system's temporary one, removed when the test is over.
final class TemporaryState: Sendable {
    /// Does not exist yet: the ledger makes it.
    let path: String
    private let base: String

    init() throws {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(folder)/filmgate-ledger-XXXXXX".utf8CString)
        base = String(cString: try #require(mkdtemp(&template)))
        path = base + "/state/filmgate"
    }

    deinit { try? FileManager.default.removeItem(atPath: base) }

    var database: String { path + "/ledger.sqlite" }

    func open() throws(IngestError) -> SQLiteLedger { try SQLiteLedger.open(directory: path) }
    func reader() throws(IngestError) -> any LedgerReader { try SQLiteLedger.reader(directory: path) }

    func bytes(_ file: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: file)) }

    /// Puts `bytes` where the ledger would be.
    func plant(_ bytes: Data) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try bytes.write(to: URL(fileURLWithPath: database))
    }

    func mode(_ file: String) -> mode_t? {
        var facts = stat()
        return stat(file, &facts) == 0 ? facts.st_mode & 0o777 : nil
    }

    /// Every file of the directory with its size and time of change.
    func listing() throws -> [String: String] {
        var result: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            var facts = stat()
            try #require(stat(path + "/" + name, &facts) == 0)
            result[name] = "\(facts.st_size) \(facts.st_mtim.tv_sec).\(facts.st_mtim.tv_nsec)"
        }
        return result
    }
}

/// The error that `body` throws.
func failure<Value>(_ body: () throws(IngestError) -> Value) -> IngestError? {
    do throws(IngestError) {
        _ = try body()
        return nil
    } catch { return error }
}
