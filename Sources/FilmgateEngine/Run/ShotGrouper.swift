import FilmgateCore

/// Puts together what arrives of one shot at nearly the same moment, so that RAW and JPEG are placed as one.
struct ShotGrouper {
    /// The files of a shot are told about one right after the other; this much may lie between them.
    private static let grace = Duration.milliseconds(15)
    private var shot: [SourceEntry] = []
    /// Until when it waits for more of its shot; nil while it has nothing.
    private(set) var end: ContinuousClock.Instant?

    /// The shot before, where `entry` is of another one.
    mutating func add(_ entry: SourceEntry, at now: ContinuousClock.Instant) -> [SourceEntry]? {
        let isOther = shot.first.map { $0.shot.key != entry.shot.key } ?? false
        let before = isOther ? finish() : nil
        shot.append(entry)
        end = now + Self.grace
        return before
    }

    /// The shot, when nothing more of it has come for the grace.
    mutating func due(at now: ContinuousClock.Instant) -> [SourceEntry]? {
        guard let end, end <= now else { return nil }
        return finish()
    }

    /// What it has of a shot, the primary first; nil where it has nothing.
    mutating func finish() -> [SourceEntry]? {
        if shot.isEmpty { return nil }
        defer { (shot, end) = ([], nil) }
        return shot.enumerated().sorted {
            ($0.element.kind.rank, $0.offset) < ($1.element.kind.rank, $1.offset)
        }.map(\.element)
    }
}

/// Hands on what arrives shot by shot, one at a time, in the order of their first files.
///
/// While one is handed on, the files that come wait behind it: a sidecar that is late never comes before its picture.
struct ShotQueue: Sendable {
    private enum Step: Sendable {
        case arrived(SourceEntry)
        /// The grace of the shot may be over.
        case due
    }
    private let clock: any RunClock
    private let steps = AsyncStream<Step>.makeStream()

    init(_ clock: any RunClock) { self.clock = clock }

    func add(_ entry: SourceEntry) { steps.continuation.yield(.arrived(entry)) }

    /// Nothing more is added.
    func finish() { steps.continuation.finish() }

    /// Gives each shot to `take`, its primary first; returns when the last one has been taken.
    func run(_ take: ([SourceEntry]) async -> Void) async {
        var grouper = ShotGrouper(), alarm: UInt64?
        for await step in steps.stream {
            let now = clock.now.instant, complete: [SourceEntry]?
            switch step {
            case .arrived(let entry): complete = grouper.add(entry, at: now)
            case .due:
                alarm = nil
                complete = grouper.due(at: now)
            }
            if let complete { await take(complete) }
            // One for all shots: twenty thousand that come at once are not worth as many alarms.
            if alarm == nil, let end = grouper.end {
                let left = max(.zero, end - clock.now.instant)
                alarm = clock.set(after: left) { [feed = steps.continuation] in feed.yield(.due) }
            }
        }
        if let alarm { clock.forget(alarm) }
        if let last = grouper.finish() { await take(last) }
    }
}
