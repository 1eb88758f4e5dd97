import FilmgateCore
import FilmgateLedger

/// Which bytes have deliveries in some states, as it was read last: what is done is very much in a large ledger.
struct KeptContents: Sendable {
    struct Wanted: Hashable, Sendable { var target: String?, states: Set<Receipt.State>? }
    private struct Kept {
        var wanted: Wanted, contents: NumberSet
        /// The ledger's number of the last change in it.
        var number: Int64
        var due: ContinuousClock.Instant
    }
    private var all: [Kept] = []
    private static let most = 8
    /// What is read sooner than this is read whenever the ledger has changed; else it gets a tenth of the time.
    private static let short = Duration.milliseconds(100), share = 10

    /// Nil where it has to be read.
    func contents(_ wanted: Wanted, _ number: Int64, _ now: ContinuousClock.Instant) -> NumberSet? {
        guard let known = all.first(where: { $0.wanted == wanted }) else { return nil }
        return known.number == number || now < known.due ? known.contents : nil
    }

    mutating func keep(
        _ contents: NumberSet, _ wanted: Wanted, _ number: Int64, from begun: ContinuousClock.Instant,
        to end: ContinuousClock.Instant
    ) {
        let took = end - begun
        all.removeAll { $0.wanted == wanted }
        if all.count >= Self.most { all.removeFirst() }
        all.append(
            Kept(
                wanted: wanted, contents: contents, number: number,
                due: took < Self.short ? end : end + took * (Self.share - 1)))
    }
}
