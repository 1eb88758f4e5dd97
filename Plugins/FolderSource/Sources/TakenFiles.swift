import CardKit
import Dispatch
import FileKit
import FilmgateCore
import Glibc
import Logging
import Synchronization

/// With `take: move`: removes a file once every target has proof of it that holds now, and never one that has changed
/// since.
///
/// What this very delivery proved counts as it is. What was proven earlier is no proof that the copy is still there:
/// one in a folder is read again from its disk, and where only a server said so, the file stays. So does a file that is
/// not whole, though it was delivered as it is: whoever writes it may come back to it. The file itself is read once
/// more from its disk, too.
final class TakenFiles: Sendable {
    /// Why a file stays.
    private enum KeepReason {
        case unproven, earlier
        /// The copy there is the file itself, seen by another way.
        case same(String)
        case copy(String)
        case unfinished(String)
        /// It has other bytes by now, or gets some.
        case changed
    }

    private let root: String, context: ModuleContext
    /// The folder that is watched, told from another one that comes to lie at `root`.
    private let watched: String?
    /// Copies are read here, one at a time.
    private let queue = DispatchQueue(label: "filmgate.folder.taken")
    /// Files that are being looked up or removed.
    private let busy = DispatchGroup()
    private let saidThatEarlierIsNoProof = Atomic(false), saidThatNothingIsProven = Atomic(false)
    private let saidThatCopiesAreTheSame = Atomic(false)
    /// Files that were put back and would be again: each time they look new to whoever watches the folder.
    private let staying = Mutex<Set<Origin>>([])
    /// Called between the first look at a file and its removal, for tests.
    private let beforeMove: @Sendable () -> Void
    /// What the file system says of a copy; something else in tests.
    private let look: @Sendable (String) -> FileFacts?
    private let calls: OpenFolder.Calls

    /// Seconds for which a copy that was read again need not be read once more.
    private static let fresh = Int64(0)..<60

    /// Files that an earlier run was about to remove get their names back.
    ///
    /// Blocks for the disk.
    init(
        root: String, context: ModuleContext, beforeMove: @escaping @Sendable () -> Void = {},
        look: @escaping @Sendable (String) -> FileFacts? = { (try? FileFacts.of($0)) ?? nil },
        calls: OpenFolder.Calls = OpenFolder.Calls()
    ) {
        (self.root, self.context, watched) = (root, context, FolderSource.visit(root))
        (self.beforeMove, self.look, self.calls) = (beforeMove, look, calls)
        Self.restore(below: root)
    }

    func settled(_ settled: AssetResult) {
        let origin = settled.asset.origin
        switch settled.ending {
        case .delivered, .duplicate:
            decide(origin, of: settled.asset.digests?.sha256, Array(settled.asset.receipts.values))
        // What stays with another event may be ordered for this one, too.
        case .alreadySeen where settled.isOfOtherEvent: break
        case .alreadySeen:
            guard let content = settled.content, let ledger = context.lookup.ledger else { return }
            busy.enter()
            Task {
                defer { busy.leave() }
                let rows = await Result { () async throws(IngestError) in try await ledger.deliveries(of: content) }
                guard var receipts = try? rows.get().map(\.receipt) else { return }
                for index in receipts.indices { receipts[index].existed = true }
                self.decide(origin, of: content.sha256, receipts)
            }
        case .setAside, .pending, .filtered: break
        }
    }

    /// Read again, or confirmed by the server, at every target that was to have it; and one of them has the original,
    /// no stamped copy.
    static func isProven(_ receipts: [Receipt], of sha256: String?) -> Bool {
        let wanted = receipts.filter { $0.state != .excluded }
        guard let sha256, wanted.contains(where: { $0.sha256 == sha256 }) else { return false }
        return wanted.allSatisfy { $0.state == .done && $0.verified.isProof }
    }

    /// Returns once every file that was to go is gone.
    func concluded() async {
        await withCheckedContinuation { done in busy.notify(queue: queue) { done.resume() } }
    }

    private func decide(_ origin: Origin, of sha256: String?, _ receipts: [Receipt]) {
        guard let sha256, Self.isProven(receipts, of: sha256) else { return keep(origin, .unproven) }
        let wanted = receipts.filter { $0.state != .excluded }
        let remote = wanted.filter { !Self.isLocal($0) }, local = wanted.filter(Self.isLocal)
        if remote.contains(where: \.existed) { return keep(origin, .earlier) }
        queue.async(group: busy) {
            // Each moving changes this.
            var known = origin
            known.changed = 0
            if self.staying.withLock({ $0.contains(known) }) { return }
            for receipt in local {
                if let reason = self.reason(receipt, origin, sha256) { return self.keep(origin, reason) }
            }
            let gap = try? Wholeness.gap(path: origin.absolutePath, name: origin.name)
            if let gap { return self.keep(origin, .unfinished(gap)) }
            if !self.remove(origin, of: sha256, copies: local.compactMap(\.path)) {
                _ = self.staying.withLock { $0.insert(known) }
            }
        }
    }

    private static func isLocal(_ receipt: Receipt) -> Bool { receipt.path?.utf8.first == 0x2F }

    /// Nil when the copy is another file than the original and has, read now or a moment ago, the bytes of its receipt.
    private func reason(_ receipt: Receipt, _ origin: Origin, _ sha256: String) -> KeepReason? {
        guard let copy = receipt.path else { return .unproven }
        guard let there = look(copy), there.kind == .regular else { return .copy(copy) }
        if let original = (try? FileFacts.of(origin.absolutePath)) ?? nil,
            (original.device, original.inode) == (there.device, there.inode)
        {
            return .copy(copy)
        }
        if receipt.sha256 == sha256, there.size != origin.size { return .copy(copy) }
        if !receipt.existed, Self.fresh.contains(Int64(time(nil)) - receipt.at / 1_000_000_000) { return nil }
        let now = try? Reread.digest(of: copy, .sha256).digest
        return now == nil || now != receipt.sha256 ? .copy(copy) : nil
    }

    private func keep(_ origin: Origin, _ reason: KeepReason) {
        let logger = context.logger, file = PathText.shown(origin.path)
        switch reason {
        case .unproven:
            let why = "\(file) stays: a target has it, and has not proved it."
            let isFirst = !saidThatNothingIsProven.exchange(true, ordering: .relaxed)
            if isFirst {
                logger.warning("\(why) What is delivered with `verify: reread` goes.")
            } else {
                logger.info("\(why)")
            }
        case .copy(let path):
            logger.warning("\(file) stays: \(PathText.shown(path)) is gone or is not what was delivered there.")
        case .same(let path):
            let why = "\(file) stays: \(PathText.shown(path)) is this very file, in the same folder by another way."
            let isFirst = !saidThatCopiesAreTheSame.exchange(true, ordering: .relaxed)
            if isFirst { logger.warning("\(why) Choose a target elsewhere.") } else { logger.info("\(why)") }
        case .unfinished(let what):
            logger.warning("\(file) stays, since its writer may come back to it: it is not whole. \(what)")
        case .changed:
            logger.warning("\(file) stays: it has other bytes than were read, or is being written to.")
        case .earlier:
            let why =
                "\(file) stays: a server had these bytes before, "
                + "so that nothing was sent for which it could confirm them."
            let isFirst = !saidThatEarlierIsNoProof.exchange(true, ordering: .relaxed)
            if isFirst { logger.warning("\(why) \(byHand)") } else { logger.info("\(why)") }
        }
    }

    /// What to do about files that stay because a server had them before.
    private var byHand: String {
        let folder = ShellWord.quoted(String(PathText.shown(root).dropFirst().dropLast()))
        return "Others stay for the same reason: `filmgate safe-to-format \(folder) --pipeline FILE` asks it whether "
            + "it still has them; after a YES remove them yourself."
    }

    /// Only the file that was read: another one may be put under its name at any moment.
    ///
    /// So it is moved to a name of ours first, looked at there, and put back where it is another. False where it would
    /// stay the next time, too.
    private func remove(_ origin: Origin, of sha256: String, copies: [String]) -> Bool {
        var mayGo = true
        do throws(IngestError) {
            guard FolderSource.visit(root) == watched else { return true }
            // By no link: somebody may have moved a folder to a safe place, and put one to it here.
            let folder = try OpenFolder(origin.folder, below: root, calls: calls)
            guard Self.isUnchanged(try folder.facts(of: origin.name), origin) else { return true }
            beforeMove()
            let away = Self.away(origin.name)
            try folder.moveAside(origin.name, to: away)
            guard Self.isUnchanged(try? folder.facts(of: away), origin) else {
                putBack(away, origin, in: folder)
                return true
            }
            if isAnother(Paths.join(Paths.folder(origin.absolutePath), away), sha256) {
                keep(origin, .changed)
                putBack(away, origin, in: folder)
                return true
            }
            if let copy = copies.first(where: { Self.isSeen(away, beside: $0) }) {
                keep(origin, .same(copy))
                putBack(away, origin, in: folder)
                return false
            }
            do throws(IngestError) { try folder.remove(away) } catch {
                mayGo = false
                putBack(away, origin, in: folder)
                throw error
            }
        } catch {
            context.logger.warning(
                "\(PathText.shown(origin.path)) was delivered but cannot be removed: \(error.message)")
        }
        return mayGo
    }

    /// A file is never left under a hidden name without a word.
    private func putBack(_ away: String, _ origin: Origin, in folder: OpenFolder) {
        do throws(IngestError) { try Self.putBack(away, as: origin.name, in: folder) } catch {
            let file = PathText.shown(origin.path)
            context.logger.warning("\(file) is called \(away) until the next start: \(error.message)")
        }
    }

    /// Whether the file that was moved to that path has other bytes than were delivered: who edits a picture in place
    /// may give it its size and time back, and a disk or share may have given other bytes once than it has.
    ///
    /// Only the disk knows: what memory holds since it was read may be what was misread, and every copy is equal to
    /// that.
    private func isAnother(_ away: String, _ sha256: String) -> Bool {
        if Writers.isOpenForWriting(away) == true { return true }
        return (try? Reread.digests(of: away).sha256) != sha256
    }

    /// Whether the copy lies in the folder that the original lay in, by another way: a disk and the pool that it is
    /// part of, a bind mount, one share by two protocols.
    ///
    /// Devices and inodes tell nothing there. The name is new and random: who sees it sees this folder, and nobody has
    /// looked for it before, so that no memory of an earlier answer says otherwise.
    private static func isSeen(_ away: String, beside copy: String) -> Bool {
        let facts = Result { () throws(IngestError) in
            try FileFacts.of(Paths.join(Paths.folder(copy), Paths.name(away)))
        }
        // Where nobody can tell, it may be.
        guard case .success(let found) = facts else { return true }
        return found != nil
    }

    private static func isUnchanged(_ facts: FileFacts?, _ origin: Origin) -> Bool {
        guard let facts else { return false }
        return facts.kind == .regular && facts.size == origin.size && facts.modified == origin.modified
            && (origin.inode == 0 || facts.inode == origin.inode)
    }
}

/// Names for files that are about to be removed.
extension TakenFiles {
    /// How they begin; what stands behind it and a number is the file's own name.
    static let prefix = ".filmgate-taken-"
    private static let numberSize = 16

    static func away(_ path: String) -> String {
        Paths.join(Paths.folder(path), "\(prefix)\(number())-\(Paths.name(path))")
    }

    private static func number() -> String { String(UInt64.random(in: 1 << 60 ... .max), radix: 16) }

    /// The path that a file had before it was moved away; nil for other files.
    static func home(of path: String) -> String? {
        let name = Paths.name(path)
        guard name.hasPrefix(prefix) else { return nil }
        let rest = name.dropFirst(prefix.count + numberSize)
        guard rest.first == "-", rest.count > 1 else { return nil }
        return Paths.join(Paths.folder(path), String(rest.dropFirst()))
    }

    /// Back to its name or, where that is in use, to the next free one: it is taken from there.
    ///
    /// Where nobody can tell that a name is free and give it in one step, the next frame could come under it in between
    /// and be replaced: then it is one that nobody else gives.
    static func putBack(_ away: String, as name: String, in folder: OpenFolder) throws(IngestError) {
        let file = FileName(name), end = file.ext.isEmpty ? "" : ".\(file.ext)"
        for number in 1..<1000 {
            do throws(IngestError) {
                if try folder.moveBack(away, to: number == 1 ? name : "\(file.stem)-\(number)\(end)") { return }
                break
            } catch { guard error.code == .nameTaken else { throw error } }
        }
        try folder.moveAside(away, to: "\(file.stem)-\(number())\(end)")
    }

    /// Puts back what a crash left under such a name; it is looked at anew.
    static func restore(below root: String) {
        _ = Result { () throws(IngestError) in
            try DirectoryScan(root: root).run { entry in
                if entry.type == .folder, entry.isBoundary { return .skip }
                let path = Paths.join(root, entry.path)
                if entry.type == .file, let home = home(of: path) {
                    _ = Result { () throws(IngestError) in try restore(path, as: home) }
                }
                return .proceed
            }
        }
    }

    private static func restore(_ path: String, as home: String) throws(IngestError) {
        let folder = try OpenFolder(Paths.folder(path)), away = Paths.name(path), name = Paths.name(home)
        // Where names are given by links, a crash leaves one file with both.
        if let hidden = try folder.facts(of: away), hidden.links > 1, let named = try folder.facts(of: name),
            (hidden.device, hidden.inode) == (named.device, named.inode)
        {
            return try folder.remove(away)
        }
        try putBack(away, as: name, in: folder)
    }
}
