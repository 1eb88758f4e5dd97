public import FilmgateCore
import Glibc
import Synchronization

/// A folder (0700) for files on their way.
///
/// `X.part` is unfinished or not yet claimed; a file without `.part` is whole by definition.
///
/// Several areas, of several processes, may share one folder: each holds a lock, and only what a dead one left counts
/// as leftover; what one of another machine left, only after 30 days. Whose an area is its files' names say: nobody
/// else knows what still waits for them, so nobody else removes them.
public final class StagingArea: Sendable {
    public let directory: String
    /// The folder inside a target's own that holds what Filmgate needs there.
    public static let hidden = SafeName.ownFolder

    /// Where files for the folder `root` are staged on its own file system, out of sight.
    public static func directory(below root: String) -> String {
        (root.hasSuffix("/") ? root : root + "/") + hidden + "/staging"
    }

    /// Wherever the state directory may have staged something for targets with these folders, now or before.
    public static func directories(state: String, roots: [String]) -> [String] {
        [state + "/staging"] + roots.map(directory(below:))
    }

    /// What a file is called in its staging folder, whatever that is called by then.
    public static func name(of path: String) -> String { lastComponent(of: path) }

    /// What a `.part` is called once it is whole; a name or a path.
    public static func whole(_ part: String) -> String { part.hasSuffix(".part") ? String(part.dropLast(5)) : part }

    private let owner: Owner
    private let session: String
    private let lock: StagingLock
    private let count = Atomic<UInt64>(0)
    /// Of this process's areas.
    private static let sessions = Mutex<Set<String>>([])

    /// Creates the folder where it is missing.
    ///
    /// Blocks briefly.
    public init(_ directory: String, of owner: Owner = .target) throws(IngestError) {
        (self.directory, self.owner) = (directory, owner)
        session = owner.newSession()
        lock = try StagingLock.take(session, in: directory)
        Self.sessions.withLock { _ = $0.insert(session) }
    }

    deinit {
        Self.sessions.withLock { _ = $0.remove(session) }
        _ = withCPath(lock.path) { unlink($0) }
    }

    /// A path that nothing else uses; nothing is created.
    public func newPart() -> String {
        let number = count.add(1, ordering: .relaxed).newValue
        return "\(directory)/\(session)-\(number).part"
    }

    /// Whether the folder of `part`, a path that an area in use by this process gave out, is not that area's: another
    /// one of its name, on the disk below.
    public static func isStray(_ part: String) -> Bool {
        guard part.hasSuffix(".part"), let end = part.lastIndex(of: "-"),
            let session = Owner.session(of: lastComponent(of: part)), sessions.withLock({ $0.contains(session) })
        else { return false }
        return (try? FileFacts.of("\(part[..<end]).lock")) == .some(.none)
    }

    /// Marks a finished `.part` as whole, so that it outlives this process; returns its new path.
    ///
    /// Durable on return.
    public static func keep(_ part: String) throws(IngestError) -> String {
        let whole = part.hasSuffix(".part") ? whole(part) : part + ".whole"
        try DurableFile.publish(part: part, as: whole)
        return whole
    }

    /// Takes `keep` back: the file is a leftover once this process is gone.
    public static func giveUp(_ whole: String) {
        _ = withCPath(whole) { old in withCPath(whole + ".part") { new in rename(old, new) } }
    }

    /// Removes the `.part` files of this owner's areas whose process is gone, except the latest of those with a
    /// journal, and those with the last components `needed`, which somebody waits for; returns their number.
    ///
    /// Never touches those of a living one, or of another owner.
    @discardableResult public func removeLeftovers(but needed: Set<String> = []) -> Int {
        removeLeftovers(but: needed, at: WallClock.nanoseconds)
    }

    func removeLeftovers(but needed: Set<String>, at now: Int64) -> Int {
        let kept = Set(unfinished().map(\.part) + needed.map { "\(directory)/\($0)" })
        var removed = 0
        for path in abandoned([".part", PartJournal.suffix], at: now) where !kept.contains(path) {
            let isJournal = path.hasSuffix(PartJournal.suffix)
            if isJournal, kept.contains(path.dropLast(PartJournal.suffix.count) + ".part") { continue }
            if withCPath(path, { unlink($0) }) == 0, !isJournal { removed += 1 }
        }
        removeDeadLocks(at: now)
        return removed
    }

    /// Processes that are gone left files there, or a lock.
    public var hasLeftovers: Bool {
        ((try? FileSystem.names(in: directory)) ?? []).contains { !$0.hasPrefix(session) }
    }

    /// Those of areas that had nothing left in the folder.
    private func removeDeadLocks(at now: Int64) {
        let names = (try? FileSystem.names(in: directory)) ?? []
        for name in names where name.hasSuffix(".lock") && name.utf8.count == 21 && name != "\(session).lock" {
            let path = "\(directory)/\(name)", area = String(name.dropLast(5))
            guard StagingLock.life(of: path, removing: true) == .elsewhere, owner.owns(area),
                !names.contains(where: { $0.hasPrefix(area + "-") }), StagingLock.isLeftForGood(path, at: now)
            else { continue }
            FileSystem.remove(path)
        }
    }

    /// Long transfers that a process of this owner's that is gone now had begun, and that can be gone on with: the
    /// latest few, none of them old.
    ///
    /// Those of a living one do not count.
    public func unfinished(most: Int = 32, youngerThan days: Int64 = 7) -> [Unfinished] {
        let oldest = Int64(time(nil)) - days * 86_400
        var found: [(transfer: Unfinished, modified: Int64)] = []
        for path in abandoned([PartJournal.suffix], at: WallClock.nanoseconds) {
            let part = path.dropLast(PartJournal.suffix.count) + ".part"
            guard let facts = try? FileFacts.of(path), facts.modified / 1_000_000_000 >= oldest,
                let (identity, checkpoint) = PartJournal.read(path),
                let size = try? FileFacts.of(String(part))?.size, size >= checkpoint.offset
            else { continue }
            found.append((Unfinished(identity: identity, part: String(part), checkpoint: checkpoint), facts.modified))
        }
        return found.sorted { $0.modified > $1.modified }.prefix(most).map(\.transfer)
    }

    /// A transfer that was cut off.
    public struct Unfinished: Sendable, Hashable {
        /// What is transferred, as `PartJournal.identity` says it.
        public var identity: String
        public var part: String, checkpoint: PartJournal.Checkpoint

        public init(identity: String, part: String, checkpoint: PartJournal.Checkpoint) {
            (self.identity, self.part, self.checkpoint) = (identity, part, checkpoint)
        }

        /// What a journal says; nil when it says nothing.
        public init?(of journal: PartJournal) {
            guard let (identity, checkpoint) = PartJournal.read(PartJournal.path(of: journal.part)) else { return nil }
            self.init(identity: identity, part: journal.part, checkpoint: checkpoint)
        }

        /// Gives it up.
        public func remove() {
            FileSystem.remove(part)
            FileSystem.remove(PartJournal.path(of: part))
        }
    }

    /// Takes over what another area left: its bytes under a name of this one, and a journal of its own; nil when
    /// somebody else was faster.
    ///
    /// Blocks for the disk.
    public func adopt(_ old: Unfinished) throws(IngestError) -> (part: String, journal: PartJournal)? {
        let part = newPart()
        let code = withCPath(old.part) { from in withCPath(part) { to in rename(from, to) == 0 ? 0 : errno } }
        if code == ENOENT { return nil }
        if code != 0 { throw .writing(part, code) }
        let journal = PartJournal(for: part, identity: old.identity)
        FileSystem.remove(PartJournal.path(of: old.part))
        do throws(IngestError) { try journal.checkpoint(old.checkpoint) } catch {
            FileSystem.remove(part)
            throw error
        }
        return (part, journal)
    }

    /// Paths of this owner's with one of these endings whose area's process is gone.
    private func abandoned(_ endings: [String], at now: Int64) -> [String] {
        var lives: [String: StagingLock.Life] = [session: .living]
        return ((try? FileSystem.names(in: directory)) ?? []).compactMap { name in
            guard endings.contains(where: name.hasSuffix), let area = Owner.session(of: name), owner.owns(area)
            else { return nil }
            let life = lives[area] ?? StagingLock.life(of: "\(directory)/\(area).lock", removing: true)
            lives[area] = life
            let path = "\(directory)/\(name)"
            return life == .gone || life == .elsewhere && StagingLock.isLeftForGood(path, at: now) ? path : nil
        }
    }

    /// Removes the folder if nothing is in it but this area's own lock.
    ///
    /// For areas inside a folder that people look into.
    public func removeIfEmpty() {
        guard (try? FileSystem.names(in: directory)) == [lastComponent(of: lock.path)] else { return }
        _ = withCPath(lock.path) { unlink($0) }
        _ = withCPath(directory) { rmdir($0) }
        let above = parent(of: directory)
        if lastComponent(of: above) == Self.hidden { _ = withCPath(above) { rmdir($0) } }
    }
}
