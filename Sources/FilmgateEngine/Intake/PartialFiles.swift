import FileKit
import FilmgateCore
import Synchronization

/// Transfers that were cut off, in this run or by the end of an earlier one, until somebody goes on with them.
///
/// Also keeps the journals of those that have come whole, until their shot is on its way to the targets.
final class PartialFiles: Sendable {
    private struct State {
        var waiting: [String: StagingArea.Unfinished] = [:]
        var whole: [String: PartJournal] = [:]
    }
    private let state: Mutex<State>

    /// With what earlier runs left in `areas`, but for files of these names: a delivery waits for them, so they are
    /// whole.
    init(_ areas: [StagingArea], but needed: Set<String> = []) {
        var waiting: [String: StagingArea.Unfinished] = [:]
        for old in areas.flatMap({ $0.unfinished() })
        where old.checkpoint.offset >= waiting[old.identity]?.checkpoint.offset ?? 0 {
            if needed.contains(StagingArea.name(of: old.part)) { continue }
            waiting[old.identity] = old
        }
        state = Mutex(State(waiting: waiting))
    }

    /// Takes what waits for this object, and forgets it.
    func take(_ identity: String) -> StagingArea.Unfinished? {
        state.withLock { state in
            // Whole, but its shot never got on its way.
            if let whole = state.whole.removeValue(forKey: identity), let one = StagingArea.Unfinished(of: whole) {
                return one
            }
            return state.waiting.removeValue(forKey: identity)
        }
    }

    /// Cut off at `checkpoint`: to be found again.
    func put(_ journal: PartJournal, at checkpoint: PartJournal.Checkpoint) {
        let one = StagingArea.Unfinished(identity: journal.identity, part: journal.part, checkpoint: checkpoint)
        state.withLock { $0.waiting[journal.identity] = one }
    }

    /// All bytes are here; the journal stays until `planned`.
    func keep(_ journal: PartJournal) {
        if journal.isOpen { state.withLock { $0.whole[journal.identity] = journal } }
    }

    /// The object's shot is on its way to the targets, or was delivered before.
    func planned(_ origin: Origin) {
        takeWhole(origin)?.remove()
        let old = state.withLock {
            $0.waiting.isEmpty ? nil : $0.waiting.removeValue(forKey: PartJournal.identity(of: origin))
        }
        old?.remove()
    }

    /// Something else of the object's shot failed: its bytes stay for the next try where there is a journal of them,
    /// else they go.
    func leave(_ asset: Asset) {
        guard let file = asset.file, file.ownership == .staged else { return }
        guard let journal = takeWhole(asset.origin), let digests = asset.digests else {
            return FileSystem.remove(file.path)
        }
        put(journal, at: PartJournal.Checkpoint(offset: file.size, sha256: digests.sha256))
    }

    private func takeWhole(_ origin: Origin) -> PartJournal? {
        state.withLock { $0.whole.isEmpty ? nil : $0.whole.removeValue(forKey: PartJournal.identity(of: origin)) }
    }

    /// Makes room: gives up everything that waits.
    func clear() {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for one in waiting { one.remove() }
    }
}
