import FilmgateCore
import Synchronization

/// Counts the endings of a run and collects what troubled it.
final class RunStatistics: Sendable {
    private struct State {
        var summary = RunSummary()
        /// The first few of each kind: a run without an end has them without number.
        var troubles: [IngestError.Code: [IngestError]] = [:]
        var mismatches = 0
        /// Why nothing is sent to a target now, by its identity.
        var holds: [String: IngestError] = [:]
        var damaged = 0, byOthers = 0, removed: [RemovedCopies] = [], lacking: [String: UInt64] = [:]
        var takenBack: [String: Int] = [:], seenRemoved: [String: Int] = [:]
        /// Files that wait, or were set aside, while other targets got them in this run.
        var partly: [Ending: Int] = [:]
        /// Endings of files that were made here, which no source has.
        var made: [Ending: Int] = [:]
        var isLedgerLost = false
        /// Files that wait for one target while another one has got them, and whose bytes are counted.
        var counted: Set<AssetID> = []
        /// What earlier runs left waiting and is read again for further targets; true once it has had an ending.
        var again: [AssetID: Bool] = [:]

        /// Whether the file has been counted: what was left of it has ended before what was read of it.
        mutating func isCounted(_ settled: AssetResult) -> Bool {
            guard let hasEnded = again[settled.asset.id] else { return false }
            again[settled.asset.id] = true
            return hasEnded && [.delivered, .duplicate, .alreadySeen].contains(settled.ending)
        }
        /// Whether this is the first ending of the file by which it is at a target.
        mutating func isFirstCopy(_ settled: AssetResult) -> Bool {
            let id = settled.asset.id
            if settled.ending == .pending { return settled.isSent && counted.insert(id).inserted }
            return (settled.isSent || settled.ending == .delivered) && (counted.isEmpty || counted.remove(id) == nil)
        }
    }
    private let state = Mutex(State()), withoutLedger = Mutex<(@Sendable () -> Void)?>(nil)
    private let hub: EventHub
    /// Of each kind of trouble.
    private static let kept = 16

    init(hub: EventHub) { self.hub = hub }

    /// One asset's ending: counted, and posted for those who watch.
    func settle(_ settled: AssetResult) {
        if settled.asset.flags.contains(AssetFlag.made) {
            state.withLock { $0.made[settled.ending, default: 0] += 1 }
            return hub.post(.companion(settled))
        }
        state.withLock { state in
            if state.isCounted(settled) { return }
            state.summary.counts[settled.ending, default: 0] += 1
            if state.isFirstCopy(settled) { state.summary.bytes += settled.asset.origin.size }
            if settled.isSent, [.pending, .setAside].contains(settled.ending) {
                state.partly[settled.ending, default: 0] += 1
            }
            if settled.isDamaged { state.damaged += 1 }
            if settled.station != nil { state.byOthers += 1 }
            for target in settled.takenBack { state.takenBack[target, default: 0] += 1 }
            for target in settled.seenRemoved { state.seenRemoved[target, default: 0] += 1 }
        }
        hub.post(.settled(settled))
    }

    /// These may have two endings, and are one file each.
    ///
    /// `isUnderWay`: false for those whose first one has been told already.
    func expectAgain(_ files: some Sequence<AssetID>, isUnderWay: (AssetID) -> Bool) {
        for id in files {
            state.withLock { $0.again[id] = $0.again[id] ?? false }
            if !isUnderWay(id) { state.withLock { $0.again[id] = true } }
        }
    }

    func trouble(_ error: IngestError) {
        state.withLock { state in
            if state.troubles[error.code, default: []].count < Self.kept {
                state.troubles[error.code, default: []].append(error)
            }
        }
        hub.post(.trouble(error))
    }

    /// The ledger could not be written: for want of room, or for a reason that nobody foresaw.
    func ledgerFailed(_ error: IngestError) {
        state.withLock { $0.isLedgerLost = true }
        let code: IngestError.Code = error.code == .storageFull ? .storageFull : .unexpected
        trouble(
            IngestError(code, "The ledger could not be written: \(error.message)", advice: error.advice, cause: error))
        withoutLedger.withLock { $0 }?()
    }

    /// The ledger lacks some of what happened in this run.
    var isLedgerLost: Bool { state.withLock(\.isLedgerLost) }

    /// What is to be done when the ledger cannot be written; called at each failure, on any thread.
    func whenLedgerFails(_ action: @escaping @Sendable () -> Void) { withoutLedger.withLock { $0 = action } }

    /// A target takes nothing; with nil, it does again, and how the run ends has nothing to do with it any more.
    func hold(_ target: String, _ error: IngestError?) {
        state.withLock { $0.holds[target] = error }
        if let error { hub.post(.trouble(error)) }
    }

    func note(removed copies: [RemovedCopies]) { state.withLock { $0.removed += copies } }

    func note(lacking bytes: UInt64, at folder: String) { state.withLock { $0.lacking[folder, default: 0] += bytes } }

    func mismatch() { state.withLock { $0.mismatches += 1 } }

    func read(_ bytes: UInt64) { state.withLock { $0.summary.bytesRead += bytes } }

    func outcome(seconds: Double, signal: ExitStatus?) -> RunOutcome {
        state.withLock { state in
            state.summary.seconds = seconds
            let troubles = state.troubles.values.flatMap { $0 } + state.holds.values
            var outcome = RunOutcome(
                summary: state.summary, troubles: troubles, signal: signal, mismatches: state.mismatches)
            (outcome.made, outcome.damaged, outcome.removed) = (state.made, state.damaged, state.removed)
            (outcome.byOthers, outcome.partly) = (state.byOthers, state.partly)
            (outcome.lacking, outcome.takenBack) = (state.lacking, state.takenBack)
            outcome.seenRemoved = state.seenRemoved
            return outcome
        }
    }
}
