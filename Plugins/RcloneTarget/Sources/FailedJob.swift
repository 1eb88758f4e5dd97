import FilmgateCore
import Synchronization

/// The `cause` of an error: the daemon did what it was asked, and the remote did not.
struct FailedJob: Error {
    /// Its words are those of a line or a server that is down, or of one that wants to be left alone.
    let mayPass: Bool

    private static let passing = [
        "timeout", "timed out", "deadline", "connection", "network", "no such host", "dial ", "eof", "reset by",
        "broken pipe", "rate limit", "ratelimit", "too many requests", "429", "500", "502", "503", "504", "temporar",
        "try again", "unavailable", "backend", "internal error", "internal server", "busy",
    ]

    /// `words`: in lower case.
    static func mayPass(_ words: String) -> Bool { passing.contains { words.contains($0) } }
}

/// How often the jobs of each path have failed in a row, for as long as the target lives.
final class JobFailures: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    /// With this time.
    func count(_ job: String) -> Int {
        counts.withLock { counts in
            counts[job, default: 0] += 1
            return counts[job] ?? 0
        }
    }

    func clear(_ job: String) { counts.withLock { $0[job] = nil } }
}

extension RcloneDaemon {
    /// What `body` returns; its failure counts as that of one file where the remote answers, and has failed three times
    /// with the same path.
    ///
    /// One that it cannot have must not be sent over and over while all others wait behind it.
    func judged<Value>(
        _ kind: String, _ path: String, _ body: () async throws(IngestError) -> Value
    ) async throws(IngestError) -> Value {
        let job = "\(kind) \(path)"
        do throws(IngestError) {
            let value = try await body()
            failures.clear(job)
            return value
        } catch {
            guard error.code == .unavailable, let failed = error.cause as? FailedJob, !failed.mayPass,
                failures.count(job) > 2
            else { throw error }
            let answer = await Result { () async throws(IngestError) in try await names(in: "") }
            guard case .success = answer else { throw error }
            throw IngestError(
                .rejected, error.message,
                advice: "The remote answers, and failed three times with this file. See what is special about it, "
                    + "then run `filmgate retry --failed`.", cause: error.cause)
        }
    }
}
