import FilmgateCore

/// How long to wait before trying again: exponential with full jitter; what the far side asked for is a floor.
struct Backoff: Sendable {
    var first: Duration = .milliseconds(500)
    var cap: Duration = .seconds(60)

    /// The delay after `attempt` failures (1 = the first).
    func delay(attempt: Int, asked: Duration?) -> Duration {
        let ceiling = min(cap, first * (1 << min(max(attempt, 1) - 1, 16)))
        let jittered = Duration.milliseconds(Int64.random(in: 0...max(1, Int64(ceiling.inSeconds * 1000))))
        return max(jittered, asked ?? .zero)
    }
}
