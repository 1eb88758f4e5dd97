import FileKit
import FilmgateCore

/// The `cause` of an error: bytes that we keep cannot be had because their disk is gone, not because of what they are.
///
/// Nothing is decided about the file, nor about the target that it is for.
struct LostBytes: Error {
    private static let pool = BlockingPool(width: 2)

    /// What `error` comes to for somebody who wanted to read `file`; nil where the disk that it is on works.
    ///
    /// `error` nil = the file is not there. `roots` are the folder targets': a copy that was removed from one that is
    /// there is no lost disk.
    static func error(_ file: LocalFile, _ error: IngestError?, roots: [String] = []) async -> IngestError? {
        guard await isLost(file, error, roots) else { return nil }
        return IngestError(
            .unavailable, error?.message ?? "\(PathText.shown(file.path)) cannot be reached.",
            advice: "Check that the disk that it is on is connected and mounted; what waits is sent when it is back.",
            cause: LostBytes())
    }

    /// Only a staging area is tried by writing: a delivered copy lies among the photographer's own files.
    private static func isLost(_ file: LocalFile, _ error: IngestError?, _ roots: [String]) async -> Bool {
        switch file.ownership {
        case .source: return false
        case .delivered:
            if (error?.cause as? SystemFailure)?.isOfTheDisk == true { return true }
            guard let root = roots.first(where: { file.path.hasPrefix($0 + "/") }) else { return false }
            return (try? FileFacts.of(root)) == nil
        case .staged:
            if StagingArea.isStray(file.path) { return true }
            let folder = String(file.path[..<(file.path.lastIndex(of: "/") ?? file.path.startIndex)])
            let works = await Result { () async throws(IngestError) in
                try await pool.run { () throws(IngestError) in FileSystem.works(at: folder) }
            }
            guard case .success(let works) = works else { return false }
            return !works
        }
    }
}
