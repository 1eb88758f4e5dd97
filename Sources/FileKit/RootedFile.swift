import CLinux
public import FilmgateCore
import Glibc

/// A file below a folder that is trusted, opened for reading by a path that is not.
///
/// No part of the path below the folder may be a link or lead out of it, whoever changes it meanwhile. Every call
/// blocks.
public final class RootedFile: Sendable {
    private let file: OpenFile
    /// What it was when it was opened.
    public let facts: FileFacts

    /// `notFound`, `unreadable`: also for what is no ordinary file.
    /// - Parameter root: absolute; may itself be reached by links.
    public init(_ path: String, below root: String) throws(IngestError) {
        let whole = Paths.join(root, path)
        let (folder, failure) = withCPath(root) { (fg_open_directory($0), errno) }
        guard folder >= 0 else { throw .reading(root, failure) }
        defer { close(folder) }
        let (descriptor, code) = withCPath(path) { (fg_open_beneath(folder, $0), errno) }
        guard descriptor >= 0 else { throw .reading(whole, code) }
        file = OpenFile(owning: descriptor, whole)
        facts = try file.facts()
        guard facts.kind == .regular else { throw IngestError(.unreadable, "\(shown(whole)) is not an ordinary file.") }
    }

    /// The bytes of a range that is small enough for memory; fewer at the end.
    public func bytes(in range: Range<UInt64>) throws(IngestError) -> [UInt8] { try file.bytes(in: range) }
}
