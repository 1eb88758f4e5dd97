import FilmgateCore

/// How long to wait before trying again: exponential with full jitter; what the far side asked for is a floor.
///
/// In a run both are the pipeline's `retry`, or its defaults (`RetryRule`).
struct Backoff: Sendable {
    var first: Duration = .milliseconds(500)
    var cap: Duration = .seconds(60)

    /// The delay after `attempt` failures (1 = the first); `jitter` is a random number from 0 to 1.
    func delay(attempt: Int, asked: Duration?, jitter: Double) -> Duration {
        let ceiling = min(cap, first * (1 << min(max(attempt, 1) - 1, 16)))
        return max(.milliseconds(Int64(max(1, ceiling.inSeconds * 1000) * jitter)), asked ?? .zero)
    }
}
