import FilmgateCore

/// The `cause` of an error: the service as a whole takes nothing now; nothing was tried with the file.
struct ServiceOutage: Error {}

/// Lets deliveries through while their service says that it is well.
///
/// It is asked before the first of them, again after `freshness` while they go on, and after each failure; all that
/// wait share one question.
actor HealthGate {
    private let target: any HealthTarget
    private let freshness: Duration, clock: any RunClock
    private var goodUntil: ContinuousClock.Instant?
    private var asking: Task<Result<Void, IngestError>, Never>?

    init(_ target: any HealthTarget, freshness: Duration = .seconds(15), clock: any RunClock) {
        (self.target, self.freshness, self.clock) = (target, freshness, clock)
    }

    /// Throws what keeps the service from taking anything, as trouble of the target and never of one file, with
    /// `ServiceOutage` as cause.
    func pass() async throws(IngestError) {
        if let goodUntil, clock.now.instant < goodUntil { return }
        let task =
            asking ?? Task { [target] in await Result { () async throws(IngestError) in try await target.health() } }
        asking = task
        let result = await task.value
        if asking == task {
            asking = nil
            if case .success = result { goodUntil = clock.now.instant + freshness }
        }
        do throws(IngestError) { try result.get() } catch {
            let code = error.code.isAboutTheTarget ? error.code : .unavailable
            throw IngestError(
                code, error.message, advice: error.advice, retryAfter: error.retryAfter, cause: ServiceOutage())
        }
    }

    /// Something went wrong since it said so.
    func doubt() { goodUntil = nil }
}

extension PlannedTarget {
    /// Tries something with the target once its service says that it is well; after a failure it is asked anew.
    func trying<Value: Sendable>(_ work: () async throws(IngestError) -> Value) async -> Result<Value, IngestError> {
        let result = await Result { () async throws(IngestError) in
            try await health?.pass()
            return try await work()
        }
        if case .failure(let error) = result, !(error.cause is ServiceOutage), !(error.cause is SendRightLost) {
            await health?.doubt()
        }
        return result
    }
}
