/// How often a catalogue is asked.
public struct ReportingPace: Sendable {
    /// How long nothing is looked for after there was nothing; how often the session is renewed.
    public var idle = Duration.seconds(1), renewal = Duration.seconds(15)
    /// The first pause after a failure, and the longest.
    public var first = Duration.seconds(5), most = Duration.seconds(60)
    /// How long a session that lasted is tried to be renewed before the catalogue counts as away, and how often.
    public var patience = Duration.seconds(5), again = Duration.milliseconds(250)
    /// Lines of the ledger in one report.
    public var lines = 1000
    /// Files told in a second at most while a run goes on; the rest of a backlog is told at its end, or by the next.
    public var filesPerSecond = 2000
    /// After an outage the first report comes at any moment within that time.
    public var spread = Duration.seconds(30)

    public init() {}

    /// Doubled with each failure, and spread over a third, so that many stations do not come back at one moment.
    func pause(after failures: Int) -> Duration {
        let full = min(first * (1 << min(failures - 1, 8)), most)
        return full * Double.random(in: 0.67...1)
    }

    /// How long nothing is told after an outage; never longer than that lasted.
    func quiet(after outage: Duration, jitter: Double = .random(in: 0...1)) -> Duration {
        min(spread, outage) * jitter
    }
}

/// So many files in a second at most: a report keeps the next one waiting for as long as its files may take.
///
/// Over any time that is what may be told in it, and one report more.
struct ReportingLimit: Sendable, Hashable {
    private let perFile: Duration
    private var free: ContinuousClock.Instant

    init(perSecond files: Int, at now: ContinuousClock.Instant) {
        (perFile, free) = (Duration.seconds(1) / max(1, files), now)
    }

    /// A report of so many files goes out at that moment.
    mutating func count(_ files: Int, at now: ContinuousClock.Instant) { free = max(free, now) + perFile * files }

    /// For how long nothing more may be told.
    func pause(at now: ContinuousClock.Instant) -> Duration { max(.zero, free - now) }
}
