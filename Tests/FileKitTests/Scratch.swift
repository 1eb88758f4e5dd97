import Foundation

/// A folder of its own below the system's temporary one, removed with the value.
final class Scratch: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "filekit-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file below the folder and returns its path.
    @discardableResult func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        try write(bytes, path + "/" + name)
        return path + "/" + name
    }

    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
}

func write(_ bytes: [UInt8], _ path: String) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }

/// The bytes of a file.
func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

/// Bytes that look random and are the same every time.
func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    // Eight bytes a step: some tests need megabytes.
    let words = (0..<(count + 7) / 8).map { _ in
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
    return words.withUnsafeBytes { Array($0.prefix(count)) }
}
