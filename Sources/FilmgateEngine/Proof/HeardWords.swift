public import FilmgateCore
import Synchronization

/// Collects what targets said while they were asked, to be written down afterwards.
public final class HeardWords: Sendable {
    private let words = Mutex<[HeardWord]>([])

    public init() {}

    public var all: [HeardWord] { words.withLock { $0 } }

    func note(_ word: TargetWord?, of row: DeliveryRow) {
        if let heard = HeardWord(of: row, word) { words.withLock { $0.append(heard) } }
    }
}

extension Denial {
    /// When it was heard, for people: civil time in UTC.
    public var date: String { CivilTime(unixSeconds: at / 1_000_000_000)?.description ?? "an unknown time" }
}
