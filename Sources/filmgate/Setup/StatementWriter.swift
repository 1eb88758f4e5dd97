import FilmgateCore
import FilmgateEngine
import FilmgateLedger

/// Writes down what targets say while they are still asked, every second: whoever ends the program before all were
/// asked loses the words of a second, and no more.
struct StatementWriter: Sendable {
    let heard: TargetStatements, state: String
    private static let pause = Duration.seconds(1)

    /// Until the task is cancelled.
    func watch() -> Task<Void, Never> {
        Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: Self.pause)
                if !Task.isCancelled { _ = await write() }
            }
        }
    }

    /// Why it could not be written, and is kept for the next time.
    func write() async -> IngestError? {
        let words = heard.take()
        if words.isEmpty { return nil }
        let written = await Result { () async throws(IngestError) in
            try await SQLiteLedger.note(words, directory: state)
        }
        guard case .failure(let error) = written else { return nil }
        heard.giveBack(words)
        return error
    }
}

extension CommandContext {
    /// As `telling`, and writes down what targets say to a verb that only reads, while it reads and at its end, however
    /// it ends; where that cannot be done, the answer stands and the reason is told.
    func noting<Value>(
        _ heard: TargetStatements, _ body: () async throws(IngestError) -> Value
    ) async throws -> Value {
        let writer = StatementWriter(heard: heard, state: state), watch = writer.watch()
        let result = await Result { () async throws(IngestError) in try await body() }
        watch.cancel()
        await watch.value
        if let error = await writer.write() {
            console.err(
                "note: what the targets said could not be written down, so that nobody else will know of it: \(error.message)"
            )
        }
        return try await telling { () throws(IngestError) in try result.get() }
    }
}
