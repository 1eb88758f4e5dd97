import FileKit
public import FilmgateCore
import Synchronization

/// Whether a file still lies at its source with the bytes that were taken from there: asked before the last copy of
/// them goes, or before somebody's word about what lies there is taken for one about them.
///
/// Size and modification time do not tell: another card may be mounted at the same path, with frames of the same
/// number and size by a camera whose clock was never set. What tells is ``Evidence`` on the same volume, as at an
/// import; where there is none, the bytes.
///
/// For one question, also about many files: what is mounted at a place is looked up once.
public final class OriginalCheck: Sendable {
    typealias Facts = @Sendable (String) throws(IngestError) -> FileFacts?
    /// How long a source may be silent: a mount whose server is gone lets nobody go who asks there.
    static let patience = Duration.seconds(30)
    private static let unanswered = UnansweredQuestions()
    private let clock: any RunClock
    private let facts: Facts
    /// By the folders that the files were taken from.
    private let volumes = Mutex<[String: Volume?]>([:])

    public convenience init() { self.init(TimerQueue.shared) }

    /// `facts`: how a file is looked at.
    init(_ clock: any RunClock, _ facts: @escaping Facts = { path throws(IngestError) in try FileFacts.of(path) }) {
        (self.clock, self.facts) = (clock, facts)
    }

    /// True when the file at its path can only be the one that was taken; reads it where nothing else proves that.
    public func isThere(_ origin: Origin, _ sha256: String) -> Bool {
        guard origin.root.hasPrefix("/"), let facts = try? self.facts(origin.absolutePath), facts.kind == .regular,
            facts.size == origin.size
        else { return false }
        if isProven(origin, facts) { return true }
        return (try? Reread.digests(of: origin.absolutePath).sha256) == sha256
    }

    /// The same, on a thread of its own; false, too, where its source gives no answer: the bytes that we have stay then.
    public func isThereNow(_ origin: Origin, _ sha256: String) async -> Bool {
        await answer(at: origin.root) { self.isThere(origin, sha256) } ?? false
    }

    /// What `look` finds at `root`, on a thread of its own; nil where that place gives no answer.
    ///
    /// As long as one question has none, nobody is asked there again: each would wait as long, and keep its thread.
    public func answer<Found: Sendable>(at root: String, _ look: @escaping @Sendable () -> Found) async -> Found? {
        guard let question = Self.unanswered.begin(at: root) else { return nil }
        let (answers, feed) = AsyncStream<Found?>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let signal = ProgressSignal()
        BlockingThread.run {
            let found = ProgressSignal.$current.withValue(signal, operation: look)
            Self.unanswered.end(question)
            feed.yield(found)
        }
        let watch = Task { [clock] in
            // A long clip takes its time: while its bytes come, that is an answer.
            var wait = Self.patience
            while wait > .zero {
                await clock.sleep(for: wait)
                if Task.isCancelled { return }
                wait = signal.last.map { Self.patience - (clock.now.instant - $0) } ?? .zero
            }
            Self.unanswered.noteLate(question)
            feed.yield(nil)
        }
        defer { watch.cancel() }
        for await found in answers { return found }
        return nil
    }

    /// A question about a file of that folder is without an answer for too long.
    static func isSilent(_ root: String) -> Bool { unanswered.isLate(at: root) }

    /// Which of `assets`, all of the same bytes, still lie at their sources.
    func originals(among assets: [Asset], _ sha256: String) async -> Set<AssetID> {
        var found: Set<AssetID> = []
        for asset in assets { if await isThereNow(asset.origin, sha256) { found.insert(asset.id) } }
        return found
    }

    /// What the file system says now is what it said then, and belongs to that file alone.
    private func isProven(_ origin: Origin, _ facts: FileFacts) -> Bool {
        guard let volume = volume(of: origin.root), volume.identity == origin.volume else { return false }
        let path = origin.absolutePath, hasInodes = volume.hasStableInodes
        return Evidence.proves(
            Fingerprint(
                path: volume.isRemovable ? volume.mount.pathOnVolume(path) ?? path : path, size: facts.size,
                modified: facts.modified, born: volume.isFAT ? facts.born : 0, inode: hasInodes ? facts.inode : 0,
                changed: hasInodes ? facts.changed : 0),
            isSameAs: origin.fingerprint)
    }

    private func volume(of root: String) -> Volume? {
        if let known = volumes.withLock({ $0[root] }) { return known }
        let found = try? Volumes.current().volume(of: FileSystem.canonical(root))
        volumes.withLock { $0[root] = .some(found) }
        return found
    }
}

/// What sources are asked just now, and which of them have let the time for an answer pass.
private final class UnansweredQuestions: Sendable {
    private struct State {
        var last: UInt64 = 0
        var roots: [UInt64: String] = [:]
        var late: Set<UInt64> = []
    }
    private let state = Mutex(State())

    /// Nil where an earlier question has no answer.
    func begin(at root: String) -> UInt64? {
        state.withLock { state in
            if state.late.contains(where: { state.roots[$0] == root }) { return nil }
            state.last += 1
            state.roots[state.last] = root
            return state.last
        }
    }

    func end(_ question: UInt64) {
        state.withLock { state in
            state.roots[question] = nil
            state.late.remove(question)
        }
    }

    /// The answer may have come just now.
    func noteLate(_ question: UInt64) {
        state.withLock { state in
            if state.roots[question] != nil { state.late.insert(question) }
        }
    }

    func isLate(at root: String) -> Bool {
        state.withLock { state in state.late.contains { state.roots[$0] == root } }
    }
}
