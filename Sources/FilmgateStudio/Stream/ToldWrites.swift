import FilmgateCore
import FilmgateLedger
import Synchronization

/// What a run tells of the ledger, until the list of files takes it over.
final class ToldWrites: Sendable {
    struct Words: Sendable {
        /// A run tells of everything that is written.
        var isFollowed = false
        /// It has begun to just now: what it wrote before that was told to nobody.
        var hasBegun = false
        /// Something may have been written that nobody told of.
        var isBehind = false
        var written = WrittenFiles()
    }
    private let words = Mutex(Words())
    /// Reading more than this one by one takes longer than asking what is new.
    private static let most = 10_000

    func hear(_ signal: RunSignal) {
        switch signal {
        case .here: words.withLock { ($0.isFollowed, $0.hasBegun) = (true, true) }
        case .gap: words.withLock { $0.isBehind = true }
        case .gone: words.withLock { ($0.isFollowed, $0.isBehind) = (false, true) }
        case .change(let key, let value, _):
            guard key.hasPrefix("rows") else { return }
            let written = JSONValue(Array(value.utf8)).flatMap { WrittenFiles($0) }
            words.withLock { words in
                if let written, words.written.files.count + words.written.contents.count < Self.most {
                    words.written.formUnion(written)
                } else {
                    (words.isBehind, words.written) = (true, WrittenFiles())
                }
            }
        }
    }

    /// What was heard since the last time.
    func take() -> Words {
        words.withLock { words in
            defer { words = Words(isFollowed: words.isFollowed) }
            return words
        }
    }
}
