import FileKit
import FilmgateCore
import Synchronization

/// Copies of known files that a target of the run has no more.
public struct RemovedCopies: Sendable, Hashable {
    public var target: String, count = 0
    /// The first: a path, or what the target said.
    public var example: String
}

/// Looks for copies folder by folder, each of which is listed once: the copies come in the order of their paths.
final class CopySearch: Sendable {
    private struct State {
        var folder: String?, names: Set<String>?, found: [String: RemovedCopies] = [:]
        /// A file may be known by the listing and be read all the same: its copy counts once.
        var counted: Set<String> = []
    }
    private let state = Mutex(State())
    /// Identities of the targets that are looked at.
    private let targets: Set<String>

    init(_ targets: Set<String>) { self.targets = targets }

    var found: [RemovedCopies] { state.withLock { $0.found.values.sorted { $0.target < $1.target } } }

    @Sendable func look(_ copy: DeliveredCopy) {
        guard targets.contains(copy.target) else { return }
        state.withLock { state in
            guard let example = Self.loss(copy, &state) else { return }
            let key = copy.path ?? copy.content?.rawValue ?? ""
            guard state.counted.insert("\(copy.target)\u{1F}\(key)").inserted else { return }
            state.found[copy.target, default: RemovedCopies(target: copy.targetName, example: example)].count += 1
        }
    }

    /// The copies, in the order of their paths, of files that were read.
    ///
    /// A folder that was listed before lacks what this run has delivered to it since.
    func look(afterDelivery copies: [DeliveredCopy]) {
        state.withLock { ($0.folder, $0.names) = (nil, nil) }
        for copy in copies { look(copy) }
    }

    /// Nil for a copy that is there, or whose folder may not be listed.
    private static func loss(_ copy: DeliveredCopy, _ state: inout State) -> String? {
        guard let path = copy.path else { return copy.denial?.reason }
        if let folder = state.folder, let name = Self.name(path, in: folder) {
            return isMissing(name, state) ? path : nil
        }
        let folder = Paths.folder(path)
        let names = Result { () throws(IngestError) in Set(try FileSystem.names(in: folder)) }
        (state.folder, state.names) = (folder, try? names.get())
        return isMissing(Paths.name(path), state) ? path : nil
    }

    private static func isMissing(_ name: String, _ state: State) -> Bool {
        state.names.map { !$0.contains(name) } ?? false
    }

    /// The path's last part, where all before it is that folder: found without a string for the folder of every file.
    private static func name(_ path: String, in folder: String) -> String? {
        var path = path, start = folder.utf8.count
        return path.withUTF8 { path in
            guard path.count > start, path[start] == 0x2F,
                folder.isSpelled(as: UnsafeBufferPointer(rebasing: path[..<start]))
            else {
                return nil
            }
            let name = path[(start + 1)...]
            return name.contains(0x2F) ? nil : String(decoding: name, as: UTF8.self)
        }
    }
}

/// Copies that kept files from being delivered again, of files that were read because their listing did not tell them.
///
/// What a ledger says of bytes is as old as the delivery, however the file was recognised. They are looked for at the
/// end of the place, when each of their folders is listed once and holds all that this run has delivered.
final class ReadCopies: Sendable {
    private let copies = Mutex<[DeliveredCopy]>([])

    func note(_ row: DeliveryRow) {
        let copy = DeliveredCopy(
            target: row.target, targetName: row.targetName, path: row.receipt.path, denial: row.denial,
            content: row.content)
        copies.withLock { $0.append(copy) }
    }

    /// In the order of their paths; forgets them.
    func take() -> [DeliveredCopy] {
        copies.withLock { copies in
            defer { copies = [] }
            return copies.sorted { ($0.path ?? "") < ($1.path ?? "") }
        }
    }
}

extension RunContext {
    /// Looks for what the run's targets have no more of the files that are known from this place by their listing.
    ///
    /// A ledger that does not answer says nothing.
    func searchCopies(of session: any SourceSession) async -> CopySearch {
        let search = CopySearch(Set(plan.targets.map(\.identity)))
        guard plan.recognises, !options.again else { return search }
        let asked = await Result { () async throws(IngestError) in
            try await reader.copies(volume: session.volume, below: session.traits.home, search.look)
        }
        if case .failure = asked { return CopySearch(Set(plan.targets.map(\.identity))) }
        return search
    }

    /// A place without a single file, though files of another volume were taken from here: the mount point of a card
    /// that was taken out.
    func lostCard(_ session: any SourceSession, _ entries: [SourceEntry]) async throws(IngestError) -> IngestError? {
        guard entries.isEmpty else { return nil }
        let root = session.place.address
        guard let last = try await reader.assets(AssetFilter(root: root, limit: 1)).first,
            last.origin.volume != session.volume
        else {
            return nil
        }
        return IngestError(
            .notFound,
            "\(PathText.shown(root)) is empty, and files of another disk were taken from here before: that one is not there.",
            advice: "Is the card in its reader and mounted? `lsblk -f` shows what is.")
    }
}
