/// How long the page waits before it looks again although nobody told it anything.
///
/// At rest that is only to see who may not be here any more.
struct LookPace: Sendable {
    /// After something was told, what is counted of it may be a moment behind; and what was written is there once it is
    /// on the disk, which nobody tells.
    static let soon = Duration.seconds(1), settling = Duration.seconds(10)
    /// Queues and sources live in the run alone.
    static let besideRun = Duration.seconds(5)
    static let rest = Duration.seconds(10), longest = Duration.seconds(60)
    /// So often the page says that it is there, without looking: who hears nothing for five seconds shows that what he
    /// has is old.
    static let heartbeat = Duration.seconds(2)

    /// Something was told a moment ago.
    var isFresh = false
    /// A run is there.
    var isBesideRun = false
    /// Since somebody wrote last; nil for never.
    var sinceWrite: Duration?
    /// Until the first of those who listen may not be here any more; nil where nobody listens.
    var untilEnd: Duration?

    /// There may be something to see.
    var isLively: Bool { isFresh || isBesideRun || isSettling }

    var pause: Duration {
        let pause = isFresh || isSettling ? Self.soon : isBesideRun ? Self.besideRun : Self.rest
        return max(.milliseconds(100), min(pause, untilEnd ?? pause))
    }

    private var isSettling: Bool { sinceWrite.map { $0 < Self.settling } ?? false }
}
