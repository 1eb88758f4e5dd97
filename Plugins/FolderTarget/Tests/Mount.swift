import Foundation
import Glibc

/// A small memory disk, where the tests may mount one (as root).
final class Mount: Sendable {
    private let path: String

    static let isAllowed =
        (try? Mount("size=64k", at: NSTemporaryDirectory() + "mount-" + UUID().uuidString, removing: true)) != nil
    /// The kernel can ignore case in memory disks (6.13 and later, with CONFIG_UNICODE).
    static let folds =
        (try? Mount(
            "size=64k,casefold", at: NSTemporaryDirectory() + "mount-" + UUID().uuidString, folding: "w", removing: true
        )) != nil

    /// ext4 on a file, where the kernel has loop devices.
    static let hasDisks =
        (try? Mount(disk: NSTemporaryDirectory() + "mount-" + UUID().uuidString, megabytes: 4, removing: true)) != nil

    private let removing: Bool

    init(disk path: String, megabytes: Int, removing: Bool = false) throws {
        (self.path, self.removing) = (path, removing)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let image = path + ".image"
        defer { unlink(image) }
        try Self.run("truncate", "-s", "\(megabytes)M", image)
        try Self.run("mkfs.ext4", "-q", "-F", image)
        try Self.run("mount", "-o", "loop", image, path)
    }

    init(_ options: String, at path: String, folding: String? = nil, removing: Bool = false) throws {
        (self.path, self.removing) = (path, removing)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Self.run("mount", "-t", "tmpfs", "-o", options, "none", path)
        guard let folding else { return }
        mkdir("\(path)/\(folding)", 0o755)
        do { try Self.run("chattr", "+F", "\(path)/\(folding)") } catch {
            try? Self.run("umount", path)
            throw error
        }
    }

    deinit {
        try? Self.run("umount", path)
        if removing { rmdir(path) }
    }

    private struct Failed: Error {}

    private static func run(_ command: String, _ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [command] + arguments
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed() }
    }
}
