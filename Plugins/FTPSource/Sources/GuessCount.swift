import Glibc

/// How many passwords were wrong lately.
struct GuessCount: Sendable {
    /// A person mistypes a password a few times, not so often.
    static let alarming = 5
    private var samples: [(at: ContinuousClock.Instant, total: Int)] = []

    /// Takes the number of all wrong passwords so far; returns those of the last minute.
    mutating func inLastMinute(_ total: Int, at now: ContinuousClock.Instant) -> Int {
        if samples.isEmpty { samples.append((now, 0)) }
        samples.append((now, total))
        while samples.count > 2, samples[1].at <= now - .seconds(60) { samples.removeFirst() }
        return total - samples[0].total
    }
}

/// The time of day here.
enum LocalClock {
    /// `14:03:05`.
    static func text(_ nanoseconds: Int64) -> String {
        var time = time_t(nanoseconds / 1_000_000_000), local = tm()
        guard localtime_r(&time, &local) != nil else { return "--:--:--" }
        return [local.tm_hour, local.tm_min, local.tm_sec].map { $0 < 10 ? "0\($0)" : String($0) }.joined(
            separator: ":")
    }
}
