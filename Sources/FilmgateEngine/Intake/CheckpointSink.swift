import FileKit
import FilmgateCore
import Synchronization

/// Writes on, and from time to time has the journal catch up, on another thread.
final class CheckpointSink: RereadableSink {
    /// How much must have come since the last checkpoint, and how long ago it must be: short transfers cost no journal.
    struct Rule: Sendable {
        var bytes: UInt64 = 4 << 20
        var every = Duration.seconds(2)
        var clock: any RunClock = TimerQueue.shared
    }
    private struct State {
        var written: UInt64, last: ContinuousClock.Instant
        var isWriting = false
    }
    private let writer: PartWriter, journal: PartJournal, rule: Rule, pool: BlockingPool
    private let state: Mutex<State>

    init(_ writer: PartWriter, _ journal: PartJournal, _ rule: Rule, _ pool: BlockingPool) {
        (self.writer, self.journal, self.rule, self.pool) = (writer, journal, rule, pool)
        state = Mutex(State(written: writer.count, last: rule.clock.now.instant))
    }

    func write(_ bytes: RawSpan) throws(IngestError) {
        try writer.write(bytes)
        let count = writer.count
        let isDue = state.withLock { state in
            guard !state.isWriting, count - state.written >= rule.bytes,
                rule.clock.now.instant - state.last >= rule.every
            else {
                return false
            }
            (state.written, state.isWriting) = (count, true)
            return true
        }
        if isDue { Task { await checkpoint() } }
    }

    func bytes(in range: Range<UInt64>) throws(IngestError) -> [UInt8] { try writer.bytes(in: range) }

    private func checkpoint() async {
        _ = try? await pool.run { [writer, journal] in journal.checkpoint(writer) }
        state.withLock { ($0.isWriting, $0.last) = (false, rule.clock.now.instant) }
    }
}
