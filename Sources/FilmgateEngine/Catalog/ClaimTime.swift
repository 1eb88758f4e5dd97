import FilmgateCore

/// When another station claimed something, as a clock here would have shown it.
struct ClaimTime: Sendable, Hashable {
    private let then: CivilTime

    /// `at`: nanoseconds since 1970; nil for what is no time.
    init?(_ at: Int64?) {
        guard let at, at > 0, let then = CaptureTime.here(at / 1_000_000_000) else { return nil }
        self.then = then
    }

    /// `2026-11-21 14:03:11`, for what is read on another day, too.
    var text: String { "\(day) \(clock)" }

    /// `14:03:11`, with the day unless that is today's; `now`: nanoseconds since 1970.
    func text(now: Int64) -> String { day == ClaimTime(now)?.day ? String(clock) : text }

    private var day: Substring { then.description.prefix(10) }
    private var clock: Substring { then.description.dropFirst(11).prefix(8) }
}
