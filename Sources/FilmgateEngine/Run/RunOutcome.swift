public import FilmgateCore

/// How a run ended: the buckets, and everything that bears on the exit code.
public struct RunOutcome: Sendable {
    public var summary: RunSummary
    /// What went wrong for the run as a whole or for a target: held, full, refused; the first few of each kind.
    public var troubles: [IngestError]
    /// The exit status of the signal that ended it, if one did.
    public var signal: ExitStatus?
    /// A target found other bytes than it was sent.
    public var mismatches: Int
    /// How files ended that were made to lie beside others; they are in no bucket, but what became of them counts.
    public var made: [Ending: Int] = [:]
    /// Files that were read and are cut short or were never written to their end; counted in the buckets like all
    /// others.
    public var damaged = 0
    /// Files that wait, or were set aside, while other targets got them in this run, by their ending: their bytes count as
    /// delivered.
    public var partly: [Ending: Int] = [:]
    /// Files that another station delivered to a shared target in place of this one.
    public var byOthers = 0
    /// Copies of known files that targets of the run have no more.
    public var removed: [RemovedCopies] = []
    /// Folders without room for what waits for them: the bytes that are missing there, by the folder's path.
    public var lacking: [String: UInt64] = [:]
    /// Files that somebody took back, and that are not sent there for that; by the target's name.
    public var takenBack: [String: Int] = [:]
    /// Files that are not sent there because another station saw that the copy was removed; by the target's name.
    public var seenRemoved: [String: Int] = [:]
    /// What waits at the same places for other events, and was not sent.
    public var earlier: [EarlierDeliveries] = []

    public init(
        summary: RunSummary = RunSummary(), troubles: [IngestError] = [], signal: ExitStatus? = nil, mismatches: Int = 0
    ) {
        (self.summary, self.troubles, self.signal, self.mismatches) = (summary, troubles, signal, mismatches)
    }

    /// This and then another run of the same sources as one: what was pending in between has gone on.
    public func followed(by next: RunOutcome) -> RunOutcome {
        var both = next
        for (ending, count) in summary.counts where ending != .pending {
            both.summary.counts[ending, default: 0] += count
        }
        both.summary.bytes += summary.bytes
        both.summary.bytesRead += summary.bytesRead
        both.summary.seconds += summary.seconds
        both.mismatches += mismatches
        both.damaged += damaged
        both.byOthers += byOthers
        for (ending, count) in partly where ending != .pending { both.partly[ending, default: 0] += count }
        both.removed += removed
        both.takenBack.merge(takenBack) { $0 + $1 }
        both.seenRemoved.merge(seenRemoved) { $0 + $1 }
        both.troubles = troubles + next.troubles
        for (ending, count) in made where ending != .pending { both.made[ending, default: 0] += count }
        return both
    }

    /// The exit code (see Commands.md); where several apply: signal, 1, 6, 7, 4, 5, 3, 8.
    public var exitCode: ExitStatus {
        if let signal { return signal }
        var reached = Set(troubles.map(Self.status))
        if mismatches > 0 { reached.insert(.mismatch) }
        if summary[.setAside] + (made[.setAside] ?? 0) > 0 { reached.insert(.setAside) }
        if summary[.pending] + (made[.pending] ?? 0) > 0 || !earlier.isEmpty { reached.insert(.notProven) }
        let order: [ExitStatus] = [.failure, .mismatch, .full, .signIn, .sourceLost, .setAside, .notProven]
        return order.first(where: reached.contains) ?? .complete
    }

    /// What a trouble of the run as a whole comes to; never `complete`.
    static func status(of trouble: IngestError) -> ExitStatus {
        // What it is to get waits, and no sign-in is missing.
        if trouble.cause is UntruthfulAnswer { return .notProven }
        return switch trouble.code {
        case .unexpected, .stateLocked: .failure
        case .storageFull: .full
        case .unauthorized, .misconfigured: .signIn
        case .notFound, .deviceGone, .deviceBusy, .accessDenied, .protocolViolation, .corruptData, .unreadable,
            .rejected:
            .sourceLost
        case .nameTaken: .setAside
        case .untrusted, .rateLimited, .network, .unavailable, .cancelled: .notProven
        }
    }
}

/// The exit codes of every verb, frozen.
public enum ExitStatus: Int32, Sendable {
    case complete = 0, failure = 1, usage = 2, setAside = 3, signIn = 4, sourceLost = 5, mismatch = 6, full = 7,
        notProven = 8,
        nothingToDo = 9
    case stateLocked = 10, invalidPipeline = 78, interrupted = 130, terminated = 143
}
