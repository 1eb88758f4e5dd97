import CardSource
import FileKit
import FilmgateCore
import Foundation
import Glibc
import Logging

/// A card of a test's own: a folder below the system's temporary one, removed with everything in it.
final class ScratchCard {
    let path: String

    init(_ names: String...) {
        var template = Array("/tmp/filmgate-card-XXXXXX".utf8CString)
        path = mkdtemp(&template).map { String(cString: $0) } ?? "/tmp/filmgate-card-failed"
        add(names)
    }

    deinit {
        let remover = Process()
        remover.executableURL = URL(fileURLWithPath: "/bin/rm")
        remover.arguments = ["-rf", path]
        try? remover.run()
        remover.waitUntilExit()
    }

    /// Creates files; a name that ends in `/` is a folder.
    func add(_ names: [String]) { for name in names { file(PathText.bytes(of: name)) } }

    func file(_ name: [UInt8], _ content: [UInt8] = []) {
        let full = Array(path.utf8) + [0x2F] + name
        for index in full.indices where full[index] == 0x2F && index > path.utf8.count {
            mkdir(full[..<index].map(CChar.init(bitPattern:)) + [0], 0o755)
        }
        if name.last == 0x2F { return }
        let descriptor = open(full.map(CChar.init(bitPattern:)) + [0], O_WRONLY | O_CREAT, 0o644)
        _ = content.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
    }

    func link(_ name: String, to target: String) { symlink(target, "\(path)/\(name)") }

    static func source(_ paths: [String], hidden: Bool = false) throws -> CardSource {
        var config = CardSource.Config()
        (config.paths, config.hidden) = (paths, hidden)
        return try CardSource(config, ModuleContext(name: "card", logger: Logger(label: "test"), state: "/nowhere"))
    }

    func session(_ below: String = "", hidden: Bool = false) async throws -> any SourceSession {
        let source = try Self.source([below.isEmpty ? path : "\(path)/\(below)"], hidden: hidden)
        return try await source.open(source.places()[0])
    }

    func entries(_ below: String = "", hidden: Bool = false) async throws -> [SourceEntry] {
        try await session(below, hidden: hidden).entries()
    }

    /// The shots as lists of paths, in order; what is not taken is left out.
    func shots(_ below: String = "") async throws -> [[String]] {
        var shots: [[String]] = [], last: String?
        for entry in try await entries(below) where entry.fate == .take {
            if entry.shot.key == last {
                shots[shots.count - 1].append(entry.origin.path)
            } else {
                shots.append([entry.origin.path])
            }
            last = entry.shot.key
        }
        return shots
    }
}

extension [SourceEntry] {
    subscript(path: String) -> SourceEntry? { first { $0.origin.path == path } }
    var paths: [String] { map(\.origin.path) }
}
