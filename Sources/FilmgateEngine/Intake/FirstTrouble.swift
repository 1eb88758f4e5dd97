import FilmgateCore
import Synchronization

/// The first failure that ends a source, seen by all its workers.
final class FirstTrouble: Sendable {
    private let first = Mutex<IngestError?>(nil)
    var error: IngestError? { first.withLock { $0 } }
    func note(_ error: IngestError) { first.withLock { $0 = $0 ?? error } }
}
