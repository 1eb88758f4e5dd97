import FilmgateCore

/// How long a one-shot run waits for cameras that cannot be read yet: not there, without a card, locked, or busy.
///
/// One for the whole run: the time that was given is that of all its cameras together.
struct Readiness: Sendable {
    private let end: ContinuousClock.Instant?
    private let awaitsBusy: Bool
    private let stopping: CancelToken, hub: EventHub
    private static let pause = Duration.milliseconds(500)

    init(_ options: RunOptions, _ stopping: CancelToken, _ hub: EventHub) {
        end = options.arrival.map { stopping.clock.now.instant + $0 }
        (awaitsBusy, self.stopping, self.hub) = (options.awaitsBusy, stopping, hub)
    }

    /// Nil: what is asked for must be there, and ready.
    var left: Duration? { end.map { max(.zero, $0 - stopping.clock.now.instant) } }

    /// Waits a moment and says true where another try may go better; tells why it waits.
    ///
    /// False at once for what no waiting mends, when the time is over, and when the run is stopped.
    func mayPass(_ trouble: IngestError) async -> Bool {
        guard let left, left > .zero, isPassing(trouble) else { return false }
        hub.post(.waiting(trouble))
        return await stopping.sleep(min(Self.pause, left))
    }

    /// Of a listing that showed nothing: no card yet, or a body that is busy.
    func mayPass(_ listed: Result<[SourceEntry], IngestError>, gap: IngestError?) async -> Bool {
        switch listed {
        case .success(let entries):
            guard entries.isEmpty, let gap, gap.code == .notFound || gap.code == .deviceBusy else { return false }
            return await mayPass(gap)
        case .failure(let error): return error.code == .deviceBusy ? await mayPass(error) : false
        }
    }

    private func isPassing(_ trouble: IngestError) -> Bool {
        switch trouble.code {
        case .notFound, .deviceGone, .accessDenied: true
        case .deviceBusy: awaitsBusy
        default: false
        }
    }
}
