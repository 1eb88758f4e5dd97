public import FilmgateCore
import Synchronization

/// Collects what targets said while they were asked, to be written down meanwhile and afterwards.
public final class TargetStatements: Sendable {
    private let words = Mutex<[TargetStatement]>([])

    public init() {}

    /// What nobody has taken yet.
    public var all: [TargetStatement] { words.withLock { $0 } }

    /// What was heard since the last time.
    public func take() -> [TargetStatement] {
        words.withLock { words in
            defer { words = [] }
            return words
        }
    }

    /// What was taken and could not be written down: before what was heard meanwhile.
    public func giveBack(_ taken: [TargetStatement]) { words.withLock { $0 = taken + $0 } }

    func note(_ word: TargetAnswer?, of row: DeliveryRow) {
        if let heard = TargetStatement(of: row, word) { words.withLock { $0.append(heard) } }
    }
}

extension Denial {
    /// When it was heard, for people: civil time in UTC.
    public var date: String { CivilTime(unixSeconds: at / 1_000_000_000)?.description ?? "an unknown time" }
}
