public import FilmgateCore

extension StagingArea {
    /// One file that an area left.
    public struct Left: Sendable, Hashable {
        public let path: String, size: UInt64

        /// Whole, and kept on purpose.
        public var isWhole: Bool { !path.hasSuffix(".part") }

        /// Whether `owner` knows what it is for.
        public func isOf(_ owner: Owner) -> Bool {
            Owner.session(of: lastComponent(of: path)).map { owner.owns($0) } ?? true
        }
    }

    /// The files of states in a staging folder whose area's process is gone, whole or not, in the order of their names;
    /// nothing is changed or removed.
    ///
    /// Without what targets left, which lies elsewhere, too. Empty where there is no such folder. Blocks briefly.
    public static func left(in directory: String) throws(IngestError) -> [Left] {
        guard try FileFacts.of(directory)?.kind == .directory else { return [] }
        var lives: [String: StagingLock.Life] = [:], found: [Left] = []
        let now = WallClock.nanoseconds
        for name in try FileSystem.names(in: directory).sorted() {
            guard ![PartJournal.suffix, ".lock"].contains(where: name.hasSuffix),
                let area = name.split(separator: "-").first, !Owner.isTarget(area)
            else { continue }
            let lock = "\(directory)/\(area).lock", life = lives[lock] ?? StagingLock.life(of: lock, removing: false)
            lives[lock] = life
            let path = "\(directory)/\(name)"
            guard life == .gone || life == .elsewhere && StagingLock.isLeftForGood(path, at: now),
                let facts = try FileFacts.of(path), facts.kind == .regular
            else { continue }
            found.append(Left(path: path, size: facts.size))
        }
        return found
    }

    /// Where the file is that was last known at `path`: there, under its other name, whole or `.part`, or by one of
    /// both in one of `folders`, for a state directory may have been moved; `path` where it is nowhere.
    ///
    /// Names in staging folders are nobody else's. Blocks briefly.
    public static func find(_ path: String, in folders: [String]) -> String {
        let name = name(of: path), other = name.hasSuffix(".part") ? whole(name) : name + ".part"
        for folder in [parent(of: path)] + folders {
            for name in [name, other] where (try? FileFacts.of("\(folder)/\(name)"))?.kind == .regular {
                return "\(folder)/\(name)"
            }
        }
        return path
    }
}
