import FilmgateCore
import Glibc
import HTTPKit
import Synchronization
import Testing

/// A file of known bytes below the system's temporary folder, removed with the object.
final class ScratchFile {
    let path: String, bytes: [UInt8]

    init(count: Int) throws {
        var generator = SystemRandomNumberGenerator()
        bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        path = "/tmp/filmgate-http-\(generator.next())"
        let file = try #require(fopen(path, "wb"))
        defer { fclose(file) }
        #expect(fwrite(bytes, 1, count, file) == count)
    }

    deinit { unlink(path) }

    var sha256: String { Hex.text(of: ByteDigest.sha256(bytes)) }
    var slice: FileSlice { FileSlice(path: path, size: UInt64(bytes.count), sha256: sha256) }
    func body() -> HTTPBody { .file(slice, type: "image/jpeg") }
}

/// The error that `body` throws; nil when it throws none.
func failure<Value>(_ body: () async throws(IngestError) -> Value) async -> IngestError? {
    do throws(IngestError) {
        _ = try await body()
        return nil
    } catch {
        return error
    }
}

/// A value that callbacks may change.
final class Box<Value: Sendable>: Sendable {
    private let stored: Mutex<Value>
    init(_ value: Value) { stored = Mutex(value) }
    var value: Value {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }
}
