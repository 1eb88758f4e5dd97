import FilmgateCore

/// What a target keeps to whose work can be broken off at any moment: a program that is killed.
public enum KilledTarget {
    public static let checks: [Check<TargetBench>] = [
        Check("broken off at any moment and asked again: one copy, whole") { bench in
            try await bench.use { place in
                let job = try SampleJob(count: 3_000_000)
                for delay in [0, 1, 3, 10, 30, 100] {
                    let attempt = Task {
                        await Result { () async throws(IngestError) in try await place.target.upload(job.job()) }
                    }
                    try await Task.sleep(for: .milliseconds(delay))
                    attempt.cancel()
                    _ = await attempt.value
                }
                // As the engine does after an attempt whose end nobody saw.
                if try await patient({ () async throws(IngestError) in try await place.target.find(job.job()) }) == nil
                {
                    _ = try await patient { () async throws(IngestError) in try await place.target.upload(job.job()) }
                }
                let copies = try await place.copies(job.digests.sha256)
                try expect(copies == 1, "There are \(copies) copies.")
            }
        }
    ]

    /// Asks again while the far side asks for patience.
    private static func patient<Value>(_ body: () async throws(IngestError) -> Value) async throws -> Value {
        for _ in 0..<20 {
            do throws(IngestError) { return try await body() } catch {
                guard error.code.disposition == .retry else { throw error }
                try await Task.sleep(for: error.retryAfter ?? .milliseconds(50))
            }
        }
        return try await body()
    }
}
