import FileKit
import FilmgateCore

/// Which disks the folders of a run's targets are on, and on which they were.
///
/// A folder below whose path other disks are mounted in turn is another place with each of them: with none, files would
/// fill the disk that its mount point lies on. The kernel's word for a disk is no proof alone, since some are numbered
/// anew at each mounting: where a single file that was delivered there is there now, it is the same place.
struct TargetDisks: Sendable {
    let reader: any LedgerReader
    /// All of the run.
    let targets: [PlannedTarget]
    /// Nil in a dry run.
    let writer: (any Ledger)?
    /// Somebody asked for what is missing to be delivered anew (`--again`).
    let again: Bool
    /// The verb has that option.
    let offersAgain: Bool

    /// Throws where files were delivered to `target` and its folder, or the disk that it was on, is not there now; and
    /// where they were delivered with another sign-in that may be the same account.
    func check(_ target: PlannedTarget) async throws(IngestError) {
        guard let root = target.traits.localRoot else {
            try await TargetAccount(target, among: targets)?.check(reader)
            return
        }
        let before = try await noted(target.identity), isThere = try FileFacts.of(root) != nil
        if isThere, let before {
            guard let now = FolderDisk(of: root), now.place != before.place else { return }
        }
        // It may have been noted without a single delivery, or all of them may have been given up.
        let uses = try await reader.uses(ofTargets: target.identity)
        if !uses.contains(where: { $0.identity == target.identity && $0.isDelivered }) {
            try await requireMountPoint(target, root)
        }
        guard isThere else {
            let delivered = try await delivered(target, root)
            if !delivered.isEmpty { throw Self.gone(root, delivered, before) }
            return
        }
        if before == nil {
            // Never noted, as in a ledger of an earlier version: an empty folder that is no mount point may be one
            // whose disk is missing.
            guard !again, try Self.isEmpty(root), FileSystem.mountPoint(of: root) != root else { return }
        }
        let delivered = try await delivered(target, root)
        if delivered.isEmpty || Self.isAnyThere(delivered, of: target.identity) { return }
        throw before == nil ? empty(root, delivered.count) : Self.isAnother(root, delivered.count)
    }

    /// Notes on which disk the folder of `target` is: after `check`, and again when a run has delivered, for a disk
    /// that was mounted meanwhile.
    func note(_ target: PlannedTarget) async throws(IngestError) {
        guard let writer, let root = target.traits.localRoot, let now = FolderDisk(of: root) else { return }
        let before = try await noted(target.identity)
        if before == now { return }
        let delivered = before == nil || before?.place == now.place ? [] : try await delivered(target, root)
        // A disk that went away during the run leaves another one at its path.
        if delivered.isEmpty {
            if before?.place != now.place, before?.isAway == true { return }
        } else if !Self.isAnyThere(delivered, of: target.identity) {
            return
        }
        try await writer.record([.disk(now.text, target: target.identity, name: target.name)])
    }

    private func noted(_ identity: String) async throws(IngestError) -> FolderDisk? {
        try await reader.disk(of: identity).flatMap(FolderDisk.init(text:))
    }

    /// Throws where other targets, such as that of another event, delivered to a disk that was mounted at the new
    /// folder or above it, and none is mounted there now: the files would fill the disk below its mount point.
    private func requireMountPoint(_ target: PlannedTarget, _ root: String) async throws(IngestError) {
        guard let kind = Self.kind(of: target, root), let volumes = try? Volumes.current() else { return }
        let uses = try await reader.uses(ofTargets: kind).filter(\.isDelivered)
        let disks = try await reader.disks(ofTargets: kind)
        let noted = Dictionary(disks.map { ($0.identity, FolderDisk(text: $0.disk)) }) { first, _ in first }
        for use in uses {
            guard let noted = noted[use.identity] ?? nil else { continue }
            let folder = Self.folder(of: use, kind), point = noted.mountPoint ?? Self.mountPoint(folder, noted.place)
            guard let point, point != "/", Paths.relative(root, to: point) != nil,
                !volumes.table.isMountPoint(point), volumes.place(of: folder) != noted.place
            else { continue }
            let delivered = try await reader.delivered(below: folder)
            if delivered.isEmpty || Self.isAnyThere(delivered, of: use.identity) { continue }
            throw Self.isAnother(folder, delivered.count)
        }
        let used = Set(uses.map(\.identity))
        // A run that had nothing to deliver has seen the disk, too.
        for seen in disks where !used.contains(seen.identity) {
            guard let disk = noted[seen.identity] ?? nil, let point = disk.mountPoint, disk.isAway,
                Paths.relative(root, to: point) != nil, !disk.isBelow(volumes.place(of: point))
            else { continue }
            throw Self.notMounted(point, root, seen.identity.dropFirst(kind.count))
        }
    }

    /// Where the disk was mounted on which the place of `folder` was noted by an earlier version, which did not note the
    /// mount point; nil for the disk that everything lies on.
    ///
    /// Its place on the disk is how `folder` ends behind the mount point; where only that folder of a disk was mounted,
    /// it is the mount point itself.
    static func mountPoint(_ folder: String, _ place: String) -> String? {
        let above = sequence(first: folder, next: { $0 == "/" || $0.isEmpty ? nil : Paths.folder($0) })
        let point = Array(above).last { point in
            guard let below = Paths.relative(folder, to: point) else { return false }
            return place.hasSuffix(":" + below) || place.hasSuffix("/" + below) && !below.isEmpty
        }
        return point == "/" ? nil : point ?? folder
    }

    /// What an identity says before the folder; nil where it does not name it.
    private static func kind(of target: PlannedTarget, _ root: String) -> String? {
        target.identity.firstRange(of: root).map { String(target.identity[..<$0.lowerBound]) }
    }

    /// The folder that an identity names; an event may stand behind it.
    private static func folder(of use: TargetUse, _ kind: String) -> String {
        let text = use.identity.dropFirst(kind.count), end = use.event.map { ":" + $0 } ?? ""
        return String(text.hasSuffix(end) ? text.dropLast(end.count) : text)
    }

    /// What was delivered below the folder of `target`.
    ///
    /// Targets of one kind name their folders in their identities: where none of them had one that is near, no delivery
    /// need be read.
    private func delivered(_ target: PlannedTarget, _ root: String) async throws(IngestError) -> [DeliveryRow] {
        if let kind = Self.kind(of: target, root) {
            let uses = try await reader.uses(ofTargets: kind)
            let isNear = uses.contains { Self.isNear(root, $0.identity.dropFirst(kind.count)) }
            if !isNear { return [] }
        }
        return try await reader.delivered(below: root)
    }

    /// Whether `other` is the same folder, one above or one below; it may be followed by a colon and an event.
    ///
    /// Compared byte by byte: an event may begin with a mark that belongs to the colon before it.
    static func isNear(_ root: String, _ other: Substring) -> Bool {
        func begins(with start: String) -> Bool { other.utf8.starts(with: start.utf8) }
        if root == "/" || begins(with: root + "/") { return true }
        return sequence(first: root, next: { $0 == "/" || $0.isEmpty ? nil : Paths.folder($0) }).contains {
            other.utf8.elementsEqual($0.utf8) || begins(with: $0 + ":")
        }
    }

    /// Nothing but what Filmgate itself may have left.
    static func isEmpty(_ root: String) throws(IngestError) -> Bool {
        try FileSystem.names(in: root).allSatisfy { $0 == ".filmgate" }
    }

    /// Where files of `target` itself are among them, only those count: what another event has there may lie on the disk
    /// below the mount point.
    private static func isAnyThere(_ delivered: [DeliveryRow], of target: String) -> Bool {
        let own = delivered.filter { $0.target == target }
        return (own.isEmpty ? delivered : own).contains { row in
            guard let path = row.receipt.path else { return false }
            let facts = Result { () throws(IngestError) in try FileFacts.of(path) }
            // Where nobody may look, nothing is known.
            guard case .success(let found) = facts else { return true }
            return found != nil
        }
    }

    /// Made anew, the folder is believed only where it is known to lie on the same disk as before.
    private static func gone(_ root: String, _ delivered: [DeliveryRow], _ before: FolderDisk?) -> IngestError {
        let isSameDisk = before != nil && FolderDisk(of: root)?.place == before?.place
        return IngestError(
            .misconfigured, "\(PathText.shown(root)) is gone, and \(files(delivered.count)) delivered there.",
            advice: isSameDisk
                ? "Put it back. If it was removed on purpose, create the folder again, empty."
                : "Mount its disk, or say that it is gone for good: \(retiring(root, delivered)).")
    }

    /// Retires every target that delivered there: one that is left would stand in the way as the first did.
    private static func retiring(_ root: String, _ delivered: [DeliveryRow]) -> String {
        let places = Set(delivered.map { String(CardProof.place(of: $0.target)) })
        let others = places.filter { $0 != root && !$0.hasPrefix(root + ":") }
        let all = (others.count < places.count ? [root] : []) + others.sorted()
        return all.map { retiring($0) }.joined(separator: " and ")
    }

    private static func isAnother(_ root: String, _ count: Int) -> IngestError {
        IngestError(
            .misconfigured, "\(PathText.shown(root)) is not on the disk that \(files(count)) delivered to.",
            advice: "Mount that disk, or say that it is gone for good: \(retiring(root)).")
    }

    private static func notMounted(_ point: String, _ root: String, _ folder: Substring) -> IngestError {
        IngestError(
            .misconfigured,
            "\(PathText.shown(root)) lies where a disk was mounted, at \(PathText.shown(point)), and none is mounted there now.",
            advice: "Mount that disk, or say that it is gone for good: \(retiring(String(folder))).")
    }

    private func empty(_ root: String, _ count: Int) -> IngestError {
        let ways =
            "`filmgate cancel --gone \(Self.word(root))` lets them be"
            + (offersAgain ? ", and `--again` brings them back." : ".")
        return IngestError(
            .misconfigured, "\(PathText.shown(root)) is empty, and \(Self.files(count)) delivered there.",
            advice: "If a disk belongs there, mount it. If the files were removed on purpose, \(ways)")
    }

    private static func files(_ count: Int) -> String { count == 1 ? "1 file was" : "\(count) files were" }
    private static func retiring(_ root: String) -> String { "`filmgate cancel --target \(word(root)) --gone`" }
    /// The path as one word for a shell, without backticks: they stand around the whole command.
    private static func word(_ root: String) -> String {
        ShellWord.quoted(String(PathText.shown(root).dropFirst().dropLast()))
    }
}

extension TargetDisks {
    /// What somebody has said of a copy that is not there.
    enum Emptied {
        case unsaid
        /// That it was removed on purpose.
        case said
        /// The same, by the name of the copy or of its folder at the target.
        case named
    }

    /// Whether the folder that a copy was delivered to may be away as a whole, as that of a disk that is not mounted:
    /// then nobody has said anything of the copy.
    ///
    /// The one answer for all who ask why a copy is missing. It is away where it is gone, or on another disk than was
    /// noted last. An empty one may be, too, unless somebody says that its files were removed, and it is known to be
    /// the same, or is named.
    static func isAway(_ delivery: DeliveryRow, _ reader: any LedgerReader, emptied: Emptied = .unsaid) async -> Bool {
        let noted = await Result { () async throws(IngestError) in try await reader.disk(of: delivery.target) }
        guard let root = delivery.folderRoot, case .success(let before) = noted else { return true }
        let looked = Result { () throws(IngestError) in
            (isThere: try FileFacts.of(root)?.kind == .directory, isEmpty: try isEmpty(root))
        }
        guard case .success(let now) = looked, now.isThere else { return true }
        let disk = before.flatMap(FolderDisk.init(text:))
        if let disk, disk.place != FolderDisk(of: root)?.place { return true }
        guard now.isEmpty else { return false }
        switch emptied {
        case .unsaid: return true
        case .said: return disk == nil
        case .named: return false
        }
    }
}
