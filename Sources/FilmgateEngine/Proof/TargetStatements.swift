public import FilmgateCore
import Synchronization

/// Collects what targets said while they were asked, to be written down afterwards.
public final class TargetStatements: Sendable {
    private let words = Mutex<[TargetStatement]>([])

    public init() {}

    public var all: [TargetStatement] { words.withLock { $0 } }

    func note(_ word: TargetAnswer?, of row: DeliveryRow) {
        if let heard = TargetStatement(of: row, word) { words.withLock { $0.append(heard) } }
    }
}

extension Denial {
    /// When it was heard, for people: civil time in UTC.
    public var date: String { CivilTime(unixSeconds: at / 1_000_000_000)?.description ?? "an unknown time" }
}
