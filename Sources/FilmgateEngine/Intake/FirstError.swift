import FilmgateCore
import Synchronization

/// The first failure that ends a source, seen by all its workers.
final class FirstError: Sendable {
    private let first = Mutex<IngestError?>(nil)
    private let told: @Sendable () -> Void

    /// `told` is called once, with the first.
    init(_ told: @escaping @Sendable () -> Void = {}) { self.told = told }

    var error: IngestError? { first.withLock { $0 } }

    func note(_ error: IngestError) {
        let isFirst = first.withLock { first in
            defer { first = first ?? error }
            return first == nil
        }
        if isFirst { told() }
    }
}
