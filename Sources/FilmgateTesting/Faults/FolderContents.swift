import Foundation

/// What lies in a folder, for tests that look for what must not be there.
public enum FolderContents {
    /// Every file below `folder`: its name below the folder, and its bytes as text.
    public static func below(_ folder: String) -> [(name: String, text: String)] {
        let names = (FileManager.default.enumerator(atPath: folder)?.allObjects as? [String]) ?? []
        return names.compactMap { name in
            FileManager.default.contents(atPath: folder + "/" + name).map {
                (name, String(decoding: $0, as: UTF8.self))
            }
        }
    }
}

/// A folder of its own for one test, 0700, removed with the object.
public final class ScratchFolder: Sendable {
    public let path: String

    public init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "filmgate-test-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
