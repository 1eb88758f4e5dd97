/// How far a list of files goes, and what has to be read for it to be the present one.
///
/// While a run tells of all that it writes, nothing has to be read but that.
struct ListFreshness: Sendable {
    enum Need { case nothing, news, all }
    /// So many nanoseconds of what was read before are read again: clocks are set, and rows are dated before they are
    /// written.
    static let overlap: Int64 = 120_000_000_000
    /// With more news than that the whole list is read.
    static let mostNews = 20_000
    /// Asking for news gets a tenth of the time, and reading everything a fiftieth; the latter at most once a minute.
    private static let newsShare = 10, wholeShare = 50, wholePause = Duration.seconds(60)

    /// It was read as a whole once.
    private(set) var isRead = false
    /// Something may have been written that nobody told of.
    var isBehind = false
    /// Nanoseconds since 1970: all that was written before is in the list.
    private(set) var time: Int64 = 0
    /// The ledger's number of the last change in it.
    private var number: Int64?
    /// Very many files changed of which no news tell: they are read with everything.
    private var isMissing = false
    /// News are what they seem to be: only reading everything tells whether they were all.
    private var isUnsure = false, isTooMuch = false
    private var newsDue: ContinuousClock.Instant?, wholeDue: ContinuousClock.Instant?
    /// Somebody ordered what is missing and waits to see it, so that gets the share of news.
    private var missingDue: ContinuousClock.Instant?

    /// Something is to be read yet, now or when it is due.
    var isInDoubt: Bool { !isRead || isBehind || isUnsure || isTooMuch || isMissing }

    /// All that was written up to the ledger's `number` is in the list.
    func knows(_ number: Int64?) -> Bool { number == self.number }

    /// `present`: the ledger's number; nil where a run tells of everything.
    func need(_ present: Int64?, _ now: ContinuousClock.Instant) -> Need {
        guard isRead else { return .all }
        let isOther = isBehind || present.map { $0 != number } ?? false, isNewsDue = newsDue.map { now >= $0 } ?? true
        if isTooMuch && isNewsDue || isMissing && missingDue.map({ now >= $0 }) ?? true { return .all }
        if isUnsure, wholeDue.map({ now >= $0 }) ?? true { return .all }
        return isOther && isNewsDue ? .news : .nothing
    }

    /// More files changed than can be read one by one.
    mutating func missed() { isMissing = true }

    /// `isWhole`: false where there were too many news.
    mutating func caughtUp(
        _ present: Int64?, isWhole: Bool, at time: Int64, from begun: ContinuousClock.Instant,
        to end: ContinuousClock.Instant
    ) {
        (isUnsure, isTooMuch, isBehind) = (true, !isWhole, false)
        if isWhole { (number, self.time) = (present, time) }
        newsDue = end + (end - begun) * (Self.newsShare - 1)
    }

    mutating func read(
        _ present: Int64?, at time: Int64, from begun: ContinuousClock.Instant, to end: ContinuousClock.Instant
    ) {
        (isRead, isBehind, isUnsure, isTooMuch, number, self.time) = (true, false, false, false, present, time)
        isMissing = false
        newsDue = nil
        missingDue = end + (end - begun) * (Self.newsShare - 1)
        wholeDue = end + max(Self.wholePause, (end - begun) * (Self.wholeShare - 1))
    }
}
