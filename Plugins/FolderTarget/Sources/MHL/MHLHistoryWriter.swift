import FileKit
import FilmgateCore
import Logging
import Synchronization
import XMLKit

/// Sees to it that every file that was delivered stands in the folder's ASC MHL history, however the run ended.
///
/// What is delivered is noted in a journal in Filmgate's own state first; the end of a run, this one or the one after a
/// crash, turns the journal into a generation of the history.
final class MHLHistoryWriter: Sendable {
    let root: String
    private let journal: Journal
    private let logger: Logger
    // Loaded when a name is first asked for; nil again after each new generation.
    private let spoken = Mutex<[String: History.Known]?>(nil)

    init(root: String, state: String, logger: Logger) {
        self.root = root
        self.logger = logger
        journal = Journal(
            path: Paths.join(state, "mhl-\(MultiHasher.digest(of: PathText.bytes(of: root), .xxh128)).journal"))
    }

    /// A history that is broken is better known before anything is delivered.
    func check() throws(IngestError) {
        do throws(IngestError) {
            _ = try History.load(root)
        } catch {
            throw IngestError(.misconfigured, error.message, advice: error.advice, cause: error)
        }
    }

    /// True when the history knows `path` with other bytes: whoever gets that name would look damaged for ever.
    func isSpoken(for path: String, not digests: Digests) -> Bool {
        let known = spoken.withLock { spoken in
            let loaded = spoken ?? (try? History.load(root).known) ?? [:]
            spoken = loaded
            return loaded[path]
        }
        guard let known else { return false }
        return known.xxh128 == nil || known.xxh128 != digests[.xxh128]
    }

    /// Notes a delivered file.
    ///
    /// Failures are only logged: a picture is not held up by its paperwork.
    func note(_ path: String, _ facts: FileFacts, _ digests: Digests) {
        let entry = Journal.Entry(
            path: path, size: facts.size, modified: facts.modified, xxh128: digests[.xxh128], at: WallClock.nanoseconds)
        do throws(IngestError) {
            try journal.append(entry)
        } catch {
            logger.warning("Cannot note a file for the ASC MHL history: \(error)")
        }
    }

    /// Writes a generation with all that was noted or delivered.
    ///
    /// Without news it writes nothing.
    func commit(_ delivered: [DeliveredFile]) throws(IngestError) {
        let notes = try journal.take()
        do throws(IngestError) {
            if try record(notes.entries, delivered) { journal.done(notes) } else { journal.giveBack(notes) }
        } catch {
            journal.giveBack(notes)
            throw error
        }
    }

    /// False when the folder is not there to write to.
    private func record(_ notes: [Journal.Entry], _ delivered: [DeliveredFile]) throws(IngestError) -> Bool {
        var files: [String: Journal.Entry] = [:]
        for entry in notes { files[entry.path] = entry }
        // A disk that is gone says nothing of what was delivered to it.
        guard try FileFacts.of(root)?.kind == .directory else { return false }
        var fresh: Set<String> = []
        for file in delivered {
            guard let path = file.path.hasPrefix("/") ? Paths.relative(file.path, to: root) : file.path, !path.isEmpty
            else { continue }
            fresh.insert(path)
            files[path] = Journal.Entry(
                path: path, size: file.size, modified: file.modified, xxh128: file.digests[.xxh128],
                at: WallClock.nanoseconds)
        }
        guard !files.isEmpty else { return true }
        var news: [Journal.Entry] = []
        for path in files.keys.sorted() {
            if let entry = files[path], let present = try stillThere(entry) { news.append(present) }
        }
        try HistoryTree(root: root).record(news, fresh: fresh)
        spoken.withLock { $0 = nil }
        return true
    }

    /// The entry with its digest, nil when the file was removed or changed since, or has a name that XML cannot hold.
    private func stillThere(_ entry: Journal.Entry) throws(IngestError) -> Journal.Entry? {
        let full = Paths.join(root, entry.path)
        guard let facts = try FileFacts.of(full), facts.kind == .regular, facts.size == entry.size else { return nil }
        guard XMLEscaping.canHold(entry.path) else {
            logger.warning(
                "\(PathText.shown(entry.path)) has a name that an ASC MHL cannot hold; it is not in the history.")
            return nil
        }
        var present = entry
        present.modified = facts.modified
        if present.xxh128 == nil {
            present.xxh128 = try FileCopy.hash(path: full, algorithms: [.xxh128]).digests[.xxh128]
        }
        return present
    }
}
