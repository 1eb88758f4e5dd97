import FileKit
import FilmgateCore
import Synchronization

/// Copies of known files, which a run does not read again, that a target of the run has no more.
public struct RemovedCopies: Sendable, Hashable {
    public var target: String, count = 0
    /// The first: a path, or what the target said.
    public var example: String
}

/// Looks for copies folder by folder, each of which is listed once: the copies come in the order of their paths.
final class CopySearch: Sendable {
    private struct State { var folder: String?, names: Set<String>?, found: [String: RemovedCopies] = [:] }
    private let state = Mutex(State())
    /// Identities of the targets that are looked at.
    private let targets: Set<String>

    init(_ targets: Set<String>) { self.targets = targets }

    var found: [RemovedCopies] { state.withLock { $0.found.values.sorted { $0.target < $1.target } } }

    @Sendable func look(_ copy: DeliveredCopy) {
        guard targets.contains(copy.target) else { return }
        state.withLock { state in
            guard let example = Self.loss(copy, &state) else { return }
            state.found[copy.target, default: RemovedCopies(target: copy.targetName, example: example)].count += 1
        }
    }

    /// Nil for a copy that is there, or whose folder may not be listed.
    private static func loss(_ copy: DeliveredCopy, _ state: inout State) -> String? {
        guard let path = copy.path else { return copy.denial?.reason }
        if let folder = state.folder, let name = Self.name(path, in: folder) { return isMissing(name, state) ? path : nil }
        let folder = Paths.folder(path)
        let names = Result { () throws(IngestError) in Set(try FileSystem.names(in: folder)) }
        (state.folder, state.names) = (folder, try? names.get())
        return isMissing(Paths.name(path), state) ? path : nil
    }

    private static func isMissing(_ name: String, _ state: State) -> Bool { state.names.map { !$0.contains(name) } ?? false }

    /// The path's last part, where all before it is that folder: found without a string for the folder of every file.
    private static func name(_ path: String, in folder: String) -> String? {
        let path = path.utf8, folder = folder.utf8
        guard path.count > folder.count, path.starts(with: folder) else { return nil }
        let rest = path.dropFirst(folder.count)
        guard rest.first == 0x2F, !rest.dropFirst().contains(0x2F) else { return nil }
        return String(Substring(rest.dropFirst()))
    }
}

extension RunGround {
    /// What the run's targets have no more of the files that are known from this place; a ledger that does not answer says nothing.
    func removed(from session: any SourceSession) async -> [RemovedCopies] {
        guard plan.recognises, !options.again else { return [] }
        let search = CopySearch(Set(plan.targets.map(\.identity)))
        let asked = await Result { () async throws(IngestError) in
            try await reader.copies(volume: session.volume, below: session.home, search.look)
        }
        if case .failure = asked { return [] }
        return search.found
    }

    /// A place without a single file, though files of another volume were taken from here: the mount point of a card that was taken out.
    func lostCard(_ session: any SourceSession, _ entries: [SourceEntry]) async throws(IngestError) -> IngestError? {
        guard entries.isEmpty else { return nil }
        let root = session.place.address
        guard let last = try await reader.assets(AssetFilter(root: root, limit: 1)).first, last.origin.volume != session.volume else {
            return nil
        }
        return IngestError(
            .notFound, "\(PathText.shown(root)) is empty, and files of another disk were taken from here before: that one is not there.",
            advice: "Is the card in its reader and mounted? `lsblk -f` shows what is.")
    }
}
