import Foundation
import Testing

/// The judges: programs that everybody uses to read metadata.
enum Tool {
    static let hasExiftool = FileManager.default.isExecutableFile(atPath: "/usr/bin/exiftool")
    static let hasExiv2 = FileManager.default.isExecutableFile(atPath: "/usr/bin/exiv2")

    @discardableResult static func run(_ program: String, _ arguments: [String]) throws -> Data {
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/\(program)")
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return data
    }

    /// What exiftool says of the file, by group and tag.
    static func facts(_ path: String, _ options: [String] = ["-XMP:all", "-IPTC:all"]) throws -> [String: Any] {
        let data = try run("exiftool", ["-j", "-G0", "-struct"] + options + [path])
        return try #require((JSONSerialization.jsonObject(with: data) as? [[String: Any]])?.first)
    }
}

/// A folder that is removed afterwards.
final class Scratch {
    let path = NSTemporaryDirectory() + "stamp-\(UUID().uuidString)"
    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name))
        return path + "/" + name
    }

    func read(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }
}

enum Picture {
    /// One grey pixel.
    static let tiny = Array(
        Data(
            base64Encoded:
                "/9j/4AAQSkZJRgABAQEAYABgAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIsIxwcKDcpLDAxNDQ0Hyc5PTgyPC4zNDL/wAALCAABAAEBAREA/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/9oACAEBAAA/APn+v//Z"
        ) ?? Data())
}
