/// Keeps a question that may take long from being asked all the time: it gets a tenth of it.
///
/// Counting all files of a ledger of years takes a good part of a second, and whoever reads keeps its log from being
/// folded.
struct Spacing: Sendable {
    private var rest: ContinuousClock.Instant?
    /// One part of so many of the time.
    var share = 10

    func isDue(at now: ContinuousClock.Instant) -> Bool { rest.map { now >= $0 } ?? true }

    /// It was asked, and answered `end`.
    mutating func took(from start: ContinuousClock.Instant, to end: ContinuousClock.Instant) {
        rest = end + (end - start) * (share - 1)
    }
}
