import FilmgateCore

/// What the page says to "may I format this card?": a proof made now, which counts until something changes.
///
/// It is never made of what the ledger says, and never kept: after a restart there is none.
struct ProofState: Sendable, Equatable {
    enum Verdict: String, Sendable, CaseIterable {
        case checking = "CHECKING"
        case yes = "YES"
        case no = "NO"
        /// It was YES, and counts no more.
        case withdrawn = "WITHDRAWN"
        /// There is no answer: the command failed, or was stopped.
        case failed = "FAILED"
    }
    /// What a proof rests on, as it can be seen without reading everything again.
    struct Evidence: Sendable, Equatable {
        /// Of the names, sizes and times of everything on the card; nil when it cannot be read.
        var card: [UInt8]?
        /// Of all copies, as they lie there and as the ledger and the targets speak of them.
        var copies: [UInt8]?
        /// When a copy was changed last, in nanoseconds since 1970.
        var latestCopy: Int64 = 0
    }
    /// Nanoseconds that a YES counts.
    static let life: Int64 = 600 * 1_000_000_000

    let card: String, job: String
    /// When the proof began.
    let began: Int64
    private(set) var verdict = Verdict.checking
    private(set) var at: Int64?
    /// Why it is no YES, or no more.
    private(set) var reason: String?
    private let before: [UInt8]?
    private(set) var evidence: Evidence?

    /// `listing`: of the card, before anything of it was read.
    init(card: String, job: String, listing: [UInt8]?, at now: Int64) {
        (self.card, self.job, before, began) = (card, job, listing, now)
    }

    var until: Int64? { verdict == .yes ? at.map { $0 + Self.life } : nil }

    /// The command has ended; `exit` is its code, `isSafe` what its last object says, and `doubt` why that is no YES
    /// here.
    mutating func end(exit: Int, isSafe: Bool, doubt: String? = nil, _ evidence: Evidence, at now: Int64) {
        guard verdict == .checking else { return }
        at = now
        switch exit {
        case 0 where isSafe && doubt != nil: (verdict, reason) = (.no, doubt)
        case 0 where isSafe:
            self.evidence = evidence
            verdict = .yes
            // Between the reading and this moment something may have changed.
            if before == nil || evidence.card == nil || evidence.copies == nil {
                return withdraw("The card or a copy of it could not be looked at.")
            }
            if evidence.card != before { return withdraw("The card changed while it was read.") }
            if evidence.latestCopy >= began { withdraw("A copy was changed while it was proven.") }
        case 8: (verdict, reason) = (.no, "Not everything on it is proven.")
        default: (verdict, reason) = (.failed, "The proof could not be made.")
        }
    }

    /// What is seen now; a YES stays one only where nothing has changed.
    mutating func look(_ now: Evidence, at time: Int64) {
        guard verdict == .yes, let evidence else { return }
        if now.card == nil { return withdraw("The card is gone.") }
        if now.card != evidence.card { return withdraw("The card changed.") }
        if now.copies != evidence.copies { return withdraw("A copy or a target changed.") }
        age(at: time)
    }

    /// Counts no more when its time is over, whatever was seen.
    mutating func age(at time: Int64) {
        guard verdict == .yes, let at else { return }
        // Also when the clock was set back.
        if time - at >= Self.life || time < at { withdraw("It is older than ten minutes.") }
    }

    /// Nobody could look at the card and the copies for that long, which is too long.
    mutating func goUnseen(for time: Duration) {
        guard verdict == .yes else { return }
        withdraw("The copies could not be looked at for \(time.components.seconds) s.")
    }

    /// The card is not mounted any more, or another one is there.
    mutating func leave() {
        switch verdict {
        case .yes: withdraw("The card is gone.")
        case .checking: (verdict, reason) = (.failed, "The card is gone.")
        case .no, .withdrawn, .failed: break
        }
    }

    private mutating func withdraw(_ reason: String) { (verdict, self.reason) = (.withdrawn, reason) }

    var object: JSONWriter {
        var object = JSONWriter()
        object.add("verdict", verdict.rawValue)
        object.add("at", StudioAPI.time(at))
        object.add("until", StudioAPI.time(until))
        object.add("reason", reason)
        object.add("job", job)
        return object
    }
}
