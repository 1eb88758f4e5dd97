import FilmgateCore

/// Notices a transfer that no longer moves, and a server that takes the whole request and then stays silent.
struct StallWatch {
    private let stall: Duration, answer: Duration
    private var windowStart: ContinuousClock.Instant, windowBytes: UInt64 = 0
    private var waitingSince: ContinuousClock.Instant?

    /// Bytes per second below which a transfer counts as standing still.
    static let slowest: Double = 128

    init(_ options: TransportOptions, hasBody: Bool, now: ContinuousClock.Instant = .now) {
        (stall, answer, windowStart) = (options.stall, options.answer, now)
        if !hasBody { waitingSince = now }
    }

    /// `moved`: bytes both ways so far.
    ///
    /// Nil while all is well.
    mutating func check(moved: UInt64, allSent: Bool, now: ContinuousClock.Instant = .now) -> IngestError? {
        if allSent {
            guard let since = waitingSince else {
                (waitingSince, windowStart, windowBytes) = (now, now, moved)
                return nil
            }
            // An answer that keeps coming may take longer than one that never begins.
            if now - since > answer, !progressed(moved, now) {
                return IngestError(.network, "The server did not answer within \(answer.shown ?? "").")
            }
            return nil
        }
        guard now - windowStart > stall else { return nil }
        if !progressed(moved, now) {
            return IngestError(.network, "Nothing was sent for \(stall.shown ?? ""): the connection stands still.")
        }
        return nil
    }

    /// Looks at the window since the last question, and starts the next one when it is over.
    private mutating func progressed(_ moved: UInt64, _ now: ContinuousClock.Instant) -> Bool {
        guard now - windowStart > stall else { return moved > windowBytes }
        defer { (windowStart, windowBytes) = (now, moved) }
        return Double(moved - min(moved, windowBytes)) >= Self.slowest * stall.inSeconds
    }
}
