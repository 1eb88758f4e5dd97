public import FilmgateCore
import Glibc

extension StagingArea {
    /// One whole file that an area kept.
    public struct Whole: Sendable, Hashable {
        public var path: String, size: UInt64
        public init(path: String, size: UInt64) { (self.path, self.size) = (path, size) }
    }

    /// The whole files in a staging folder whose area's process is gone, in the order of their names; nothing is
    /// changed or removed.
    ///
    /// Empty where there is no such folder. Blocks briefly.
    public static func whole(in directory: String) throws(IngestError) -> [Whole] {
        guard try FileFacts.of(directory)?.kind == .directory else { return [] }
        var living: [String: Bool] = [:], found: [Whole] = []
        for name in try FileSystem.names(in: directory).sorted() {
            guard ![".part", PartJournal.suffix, ".lock"].contains(where: name.hasSuffix),
                let owner = name.split(separator: "-").first
            else {
                continue
            }
            let lock = "\(directory)/\(owner).lock", isAlive = living[lock] ?? isHeld(lock)
            living[lock] = isAlive
            let path = "\(directory)/\(name)"
            guard !isAlive, let facts = try FileFacts.of(path), facts.kind == .regular else { continue }
            found.append(Whole(path: path, size: facts.size))
        }
        return found
    }

    private static func isHeld(_ lock: String) -> Bool {
        let descriptor = withCPath(lock) { open($0, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) }
        guard descriptor >= 0 else { return false }
        return flock(OpenFile(owning: descriptor, lock).descriptor, LOCK_SH | LOCK_NB) != 0
    }
}
