import FilmgateCore
import Synchronization

/// The sessions that are open now, and at the end of a run those that were, each to be told what became of its assets.
final class OpenSessions: Sendable {
    private struct Key: Hashable { var source: String, root: String }
    private let sessions = Mutex<[Key: any SourceSession]>([:])
    private let isDryRun: Bool, statistics: RunStatistics

    /// In a dry run they are told nothing: nobody has anything of what it says would be delivered, and who hears of an
    /// ending removes files, or has a camera let go of a frame.
    ///
    /// Where `statistics` know of a ledger that could not be written, everything waits from then on: nobody would know
    /// afterwards that it was delivered, so it is kept, and met again.
    init(isDryRun: Bool, _ statistics: RunStatistics) { (self.isDryRun, self.statistics) = (isDryRun, statistics) }

    func add(_ session: any SourceSession) { sessions.withLock { $0[Self.key(session)] = session } }
    func remove(_ session: any SourceSession) { sessions.withLock { _ = $0.removeValue(forKey: Self.key(session)) } }

    func tell(_ settled: AssetResult) {
        var settled = settled
        if statistics.isLedgerLost { (settled.ending, settled.reason) = (.pending, "the ledger cannot be written") }
        (session(of: settled.asset.origin) as? any ResultHandlingSession)?.settled(settled)
    }

    func tell(delivered origin: Origin, to target: String) {
        if statistics.isLedgerLost { return }
        (session(of: origin) as? any ConfirmingSession)?.delivered(origin, to: target)
    }

    private func session(of origin: Origin) -> (any SourceSession)? {
        if isDryRun { return nil }
        return sessions.withLock { $0[Key(source: origin.source, root: origin.root)] }
    }

    /// Returns once all of them have done what the endings of their assets asked for.
    ///
    /// In a run that was stopped, a slow disk is waited for no longer: the next run sees to what is left.
    func concluded(orStopped stopping: CancelToken) async {
        let all = sessions.withLock { $0.values.compactMap { $0 as? any ConcludingSession } }
        _ = await stopping.answer { () async throws(IngestError) in
            for session in all { await session.concluded() }
        }
    }

    private static func key(_ session: any SourceSession) -> Key {
        Key(source: session.place.source, root: session.place.address)
    }
}
