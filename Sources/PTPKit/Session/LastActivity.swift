import Synchronization

/// When something was last heard; asked from any thread while another one waits.
final class LastActivity: Sendable {
    private let instant = Mutex(ContinuousClock.now)

    func note() { instant.withLock { $0 = .now } }
    var time: ContinuousClock.Instant { instant.withLock { $0 } }
}
