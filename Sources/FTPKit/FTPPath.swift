import FilmgateCore

/// A path as a client means it, below its own root; it cannot leave it.
public struct FTPPath: Sendable, Hashable {
    /// Why a client's words are no path of it.
    public enum Fault: Error { case escape, bad }
    /// `/` between parts, none at the ends; "" is the root.
    public let text: String

    /// Where a client begins.
    public static let root = FTPPath(text: "")

    private init(text: String) { self.text = text }

    /// `given` seen from `folder`; absolute when it begins with `/`.
    ///
    /// `escape` when it climbs above the root, `bad` when no file can have that name.
    public init(_ given: String, from folder: FTPPath) throws(Fault) {
        var parts =
            given.utf8.first == 0x2F ? [] : folder.text.utf8.split(separator: 0x2F).map { String(Substring($0)) }
        guard given.utf8.count <= 2048 else { throw .bad }
        for part in given.utf8.split(separator: 0x2F) {
            switch String(Substring(part)) {
            case ".": continue
            case "..":
                guard parts.popLast() != nil else { throw .escape }
            case let name:
                guard name.utf8.count <= 255, !name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
                    throw .bad
                }
                parts.append(name)
            }
        }
        guard parts.count <= 32 else { throw .bad }
        text = parts.joined(separator: "/")
    }

    package var name: String { text.utf8.split(separator: 0x2F).last.map { String(Substring($0)) } ?? "" }
    package var isRoot: Bool { text.isEmpty }
    /// As PWD shows it.
    package var shown: String { "/" + text }

    /// Beside this one, under another name.
    package func beside(_ name: String) throws(Fault) -> FTPPath {
        try FTPPath(
            name,
            from: FTPPath(
                text: text.utf8.split(separator: 0x2F).dropLast().map { String(Substring($0)) }.joined(separator: "/")))
    }

    public static func == (a: Self, b: Self) -> Bool { a.text.isSpelled(as: b.text) }
    public func hash(into hasher: inout Hasher) { text.hashSpelling(into: &hasher) }
}
