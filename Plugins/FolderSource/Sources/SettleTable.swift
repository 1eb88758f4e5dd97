import FileKit
import FilmgateCore

/// Decides when a file is whole: closed or renamed in, then unchanged for a while, then complete by its own structure.
///
/// A plain state machine: the loop tells it what happened and what the disk says; it never looks by itself.
struct SettleTable: Sendable {
    struct Rules: Sendable { var settle: Duration, incomplete: Duration }

    /// A file that is not handed on yet.
    struct Pending: Sendable {
        var size: UInt64, modified: Int64, inode: UInt64
        /// Since when it has been as it is.
        var since: ContinuousClock.Instant
        /// Its writer closed it, or it came in one piece.
        var closed: Bool
        var due: ContinuousClock.Instant
        let shot: String
    }
    /// What is to be done with a file whose time has come.
    enum Step: Sendable, Hashable {
        case wait
        /// Ask whether a writer still has it open.
        case askWriters
        /// Look whether it is whole.
        case inspect
    }

    let rules: Rules
    private(set) var pending: [PathKey: Pending] = [:]
    private var heap = DueHeap()
    /// How many files of a shot are pending.
    private(set) var shots: [String: Int] = [:]
    /// What was handed on, as hashes of path and of facts.
    private var told = PackedTable<Int>()

    init(_ rules: Rules) { self.rules = rules }

    var nextDue: ContinuousClock.Instant? { heap.first }
    var toldCount: Int { told.count }

    /// Something happened to a file; `closed` when its writer let go of it.
    mutating func happened(_ path: String, _ entry: ScanEntry, closed: Bool, at now: ContinuousClock.Instant) {
        let key = PathKey(path)
        if isTold(key, entry) { return drop(key) }
        if var old = pending[key] {
            let same = (old.size, old.modified, old.inode) == (entry.size, entry.modified, entry.inode)
            (old.size, old.modified, old.inode) = (entry.size, entry.modified, entry.inode)
            if !same || closed { old.since = now }
            old.closed = closed || (old.closed && same)
            old.due = now + wait(closed: old.closed)
            pending[key] = old
            return heap.push(key, old.due)
        }
        let due = now + wait(closed: closed)
        let shot = Self.shotKey(path)
        pending[key] = Pending(
            size: entry.size, modified: entry.modified, inode: entry.inode, since: now, closed: closed, due: due,
            shot: shot)
        shots[shot, default: 0] += 1
        heap.push(key, due)
    }

    /// The file is not there any more, or not under this name.
    mutating func gone(_ path: String) {
        drop(PathKey(path))
        told[PathKey(path).digest] = nil
    }

    mutating func goneBelow(_ folder: String) {
        for key in pending.keys where Paths.relative(key.text, to: folder) != nil { drop(key) }
    }

    /// It was seen before, and has been as it is for as long as files have to be.
    func rested(_ entry: ScanEntry, at now: ContinuousClock.Instant) -> Bool {
        guard let seen = pending[PathKey(entry.path)] else { return false }
        return (seen.size, seen.modified, seen.inode) == (entry.size, entry.modified, entry.inode)
            && now - seen.since >= rules.settle
    }

    /// Files whose time has come.
    mutating func due(at now: ContinuousClock.Instant) -> [String] {
        var paths: [String] = []
        while paths.count < 512, let (due, key) = heap.pop(by: now) {
            if pending[key]?.due == due { paths.append(key.text) }
        }
        return paths
    }

    /// What to do with a due file that looks like `entry` now.
    mutating func step(_ path: String, _ entry: ScanEntry, at now: ContinuousClock.Instant) -> Step {
        let key = PathKey(path)
        guard let file = pending[key] else { return .wait }
        guard (file.size, file.modified, file.inode) == (entry.size, entry.modified, entry.inode) else {
            happened(path, entry, closed: false, at: now)
            return .wait
        }
        guard now - file.since >= rules.settle else {
            later(key, file.since + rules.settle)
            return .wait
        }
        return .askWriters
    }

    /// The answer to `askWriters`; nil = it cannot be known, then time alone decides.
    mutating func writers(_ path: String, open: Bool?, at now: ContinuousClock.Instant) -> Step {
        let key = PathKey(path)
        guard let file = pending[key] else { return .wait }
        let patience = file.closed ? rules.settle : max(rules.settle, .seconds(2))
        if open == true || (open == nil && now - file.since < patience) {
            later(key, now + max(rules.settle, .milliseconds(500)))
            return .wait
        }
        return .inspect
    }

    /// The file was looked into: true when it is to be handed on now.
    mutating func inspected(_ path: String, isWhole: Bool, at now: ContinuousClock.Instant) -> Bool {
        let key = PathKey(path)
        guard let file = pending[key] else { return false }
        if isWhole || now - file.since >= rules.incomplete { return true }
        later(key, min(file.since + rules.incomplete, now + .seconds(1)))
        return false
    }

    /// Handed on: not again as long as it stays as it is.
    mutating func tell(_ path: String, _ entry: ScanEntry) {
        drop(PathKey(path))
        told[PathKey(path).digest] = Self.facts(entry)
    }

    /// To be handed on again, whatever it looks like.
    mutating func forget(_ path: String) { told[PathKey(path).digest] = nil }

    func isTold(_ path: String, _ entry: ScanEntry) -> Bool { isTold(PathKey(path), entry) }

    /// After a look at everything: forgets what is not there any more.
    mutating func keepOnly(_ seen: Set<Int>) {
        told.removeAll { !seen.contains($0) }
        for key in pending.keys where !seen.contains(key.digest) { drop(key) }
    }

    private func isTold(_ key: PathKey, _ entry: ScanEntry) -> Bool { told[key.digest] == Self.facts(entry) }

    private func wait(closed: Bool) -> Duration { closed ? rules.settle : max(rules.settle, .milliseconds(200)) }

    private mutating func later(_ key: PathKey, _ due: ContinuousClock.Instant) {
        pending[key]?.due = due
        heap.push(key, due)
    }

    private mutating func drop(_ key: PathKey) {
        guard let file = pending.removeValue(forKey: key) else { return }
        let left = (shots[file.shot] ?? 1) - 1
        shots[file.shot] = left > 0 ? left : nil
    }

    /// With the time of the status change, which nobody can set: other bytes of the same size may lie there, and have
    /// the same time.
    private static func facts(_ entry: ScanEntry) -> Int {
        var hasher = Hasher()
        hasher.combine(entry.size)
        hasher.combine(entry.modified)
        hasher.combine(entry.changed)
        hasher.combine(entry.inode)
        return hasher.finalize()
    }

    /// Folder and stem: near enough to know that files will belong together before they are handed on.
    static func shotKey(_ path: String) -> String {
        var stem = FileName(Paths.name(path)).stem
        if MediaKind(fileName: stem) != .other { stem = FileName(stem).stem }
        return SafeName.folded(Paths.folder(path) + "/" + stem)
    }
}
