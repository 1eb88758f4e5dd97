import Foundation
import Glibc
import Testing

/// A folder below the system's temporary one, removed when the test is over.
final class TemporaryFolder {
    let path: String

    init() throws {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/filmgate-sample-XXXXXX".utf8CString)
        path = String(cString: try #require(mkdtemp(&template)))
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Every file below, by path relative to the folder.
    func files(below folder: String = "") throws -> [String: [UInt8]] {
        var result: [String: [UInt8]] = [:]
        let stream = try #require(opendir(path + "/" + folder))
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let isFolder = entry.pointee.d_type == DT_DIR
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name == "." || name == ".." { continue }
            let inner = folder.isEmpty ? name : folder + "/" + name
            if isFolder {
                try result.merge(files(below: inner)) { a, _ in a }
            } else {
                result[inner] = try bytes(of: inner)
            }
        }
        return result
    }

    func bytes(of file: String) throws -> [UInt8] {
        let stream = try #require(fopen(path + "/" + file, "rb"))
        defer { fclose(stream) }
        fseek(stream, 0, SEEK_END)
        var bytes = [UInt8](repeating: 0, count: ftell(stream))
        rewind(stream)
        try #require(fread(&bytes, 1, bytes.count, stream) == bytes.count)
        return bytes
    }
}
