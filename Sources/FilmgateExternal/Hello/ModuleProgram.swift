import FilmgateCore
import Glibc

/// An executable that is a module.
struct ModuleProgram: Sendable, Hashable {
    static let prefix = "filmgate-module-"

    /// Absolute.
    let path: String
    /// What stands behind the prefix.
    let name: String

    /// `misconfigured` when no such program may be run.
    init(_ path: String) throws(IngestError) {
        let file = path.utf8.lastIndex(of: 0x2F).map { String(path[path.utf8.index(after: $0)...]) } ?? path
        let name = String(file.dropFirst(Self.prefix.count))
        guard path.hasPrefix("/"), file.hasPrefix(Self.prefix), Self.isName(name) else {
            throw IngestError(
                .misconfigured, "`\(path)` is no module.",
                advice:
                    "A module is named by its whole path, and its file is called \(Self.prefix)NAME, of small letters, digits and `-`."
            )
        }
        (self.path, self.name) = (path, name)
        var facts = stat()
        guard stat(path, &facts) == 0 else { throw IngestError(.misconfigured, "There is no \(path).") }
        guard facts.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0 else {
            throw IngestError(.misconfigured, "\(path) is not a program that can be run.", advice: "chmod +x \(path)")
        }
        guard facts.st_mode & S_IWOTH == 0 else {
            throw IngestError(
                .misconfigured, "\(path) could be changed by anyone, so it is not run.", advice: "chmod o-w \(path)")
        }
    }

    static func isName(_ name: String) -> Bool {
        (1...40).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x5F
            }
    }
}
