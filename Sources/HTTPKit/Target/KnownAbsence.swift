import Synchronization

/// Whether a server was heard to say that it has not something; before that, its word that it has something is no
/// proof.
public final class KnownAbsence: Sendable {
    private let heard = Atomic(false)

    public init() {}

    public var isHeard: Bool { heard.load(ordering: .relaxed) }
    public func note() { heard.store(true, ordering: .relaxed) }
}
