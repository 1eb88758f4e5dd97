import FileKit
import FilmgateCore
import Synchronization

/// Writes on, and from time to time has the journal catch up, on another thread.
final class MarkingSink: RereadableSink {
    /// How much must have come since the last mark, and how long ago it must be: short transfers cost no journal at
    /// all.
    struct Rule: Sendable {
        var bytes: UInt64 = 4 << 20
        var every = Duration.seconds(2)
        var clock: any RunClock = TimerQueue.shared
    }
    private struct State {
        var marked: UInt64, last: ContinuousClock.Instant
        var isMarking = false
    }
    private let writer: PartWriter, journal: PartJournal, rule: Rule, pool: BlockingPool
    private let state: Mutex<State>

    init(_ writer: PartWriter, _ journal: PartJournal, _ rule: Rule, _ pool: BlockingPool) {
        (self.writer, self.journal, self.rule, self.pool) = (writer, journal, rule, pool)
        state = Mutex(State(marked: writer.count, last: rule.clock.now.instant))
    }

    func write(_ bytes: RawSpan) throws(IngestError) {
        try writer.write(bytes)
        let count = writer.count
        let isDue = state.withLock { state in
            guard !state.isMarking, count - state.marked >= rule.bytes,
                rule.clock.now.instant - state.last >= rule.every
            else {
                return false
            }
            (state.marked, state.isMarking) = (count, true)
            return true
        }
        if isDue { Task { await mark() } }
    }

    func bytes(in range: Range<UInt64>) throws(IngestError) -> [UInt8] { try writer.bytes(in: range) }

    private func mark() async {
        _ = try? await pool.run { [writer, journal] in journal.mark(writer) }
        state.withLock { ($0.isMarking, $0.last) = (false, rule.clock.now.instant) }
    }
}
