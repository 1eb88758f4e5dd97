import FilmgateCore

/// Starts a program for each login: the question on its stdin, so that no list of processes shows the password; the
/// answer on its stdout.
///
/// What it says on its stderr is read and dropped: it might repeat what it was told.
struct ProgramLogins: LoginService {
    let words: [String], timeout: Duration
    private static let pool = BlockingPool(width: 4), longest = 64 << 10
    private var name: String { words.first ?? "" }

    /// The time counts from here: whoever waits for an answer does so also while others are asked about.
    func answer(_ question: LoginQuestion) async throws(IngestError) -> LoginAnswer {
        let end = ContinuousClock.now + timeout
        let printed = try await Self.pool.stoppable { stop throws(IngestError) in
            try ask(question.body, until: end, stop)
        }
        do throws(IngestError) { return try LoginAnswer(printed, at: Notice.now) } catch {
            throw IngestError(.unavailable, "\(name): \(error.message).")
        }
    }

    private func ask(
        _ question: [UInt8], until end: ContinuousClock.Instant, _ stop: StopFlag
    ) throws(IngestError) -> [UInt8] {
        guard ContinuousClock.now < end, !stop.isRaised else {
            throw IngestError(.unavailable, "\(name) was not started: its turn did not come in time.")
        }
        let program = try PipedProcess(words)
        var rest = question[...], printed: [UInt8] = []
        func listen(within milliseconds: CInt) {
            program.exchange(&rest, within: milliseconds) { stream, bytes in
                if stream == .output, printed.count <= Self.longest { printed += bytes }
            }
        }
        while !program.child.isOver {
            guard ContinuousClock.now < end, !stop.isRaised, printed.count <= Self.longest else {
                program.child.end()
                throw IngestError(.unavailable, "\(name) \(why(stop, printed)), and was ended.")
            }
            listen(within: 20)
        }
        let how = program.child.end().words
        listen(within: 0)
        guard how.isEmpty else { throw IngestError(.unavailable, "\(name) ended\(how).") }
        return printed
    }

    private func why(_ stop: StopFlag, _ printed: [UInt8]) -> String {
        if stop.isRaised { return "was not done when nobody waited for it any more" }
        return printed.count > Self.longest
            ? "printed more than \(Self.longest >> 10) KiB" : "took longer than \(timeout.shown ?? "")"
    }
}
