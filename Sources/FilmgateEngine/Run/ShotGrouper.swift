import FilmgateCore

/// Puts together what arrives of one shot at nearly the same moment, so that RAW and JPEG are placed as one.
actor ShotGrouper {
    /// The files of a shot are told about one right after the other; this much may lie between them.
    private static let grace = Duration.milliseconds(15)
    private let flush: @Sendable ([SourceEntry]) async -> Void
    private let clock: any RunClock
    private var shot: [SourceEntry] = [], last: ContinuousClock.Instant
    /// One for all shots: twenty thousand that come at once are not worth as many clocks.
    private var alarm: Task<Void, Never>?

    /// `flush` gets the files of one shot, its primary first, shots in the order of their first files.
    init(_ clock: any RunClock, _ flush: @escaping @Sendable ([SourceEntry]) async -> Void) {
        (self.clock, self.flush, last) = (clock, flush, clock.now.instant)
    }

    func add(_ entry: SourceEntry) async {
        if let first = shot.first, first.shot.key != entry.shot.key { await finish() }
        shot.append(entry)
        last = clock.now.instant
        if alarm == nil { alarm = Task { await self.watch() } }
    }

    func finish() async {
        let complete = shot.enumerated().sorted {
            ($0.element.kind.rank, $0.offset) < ($1.element.kind.rank, $1.offset)
        }.map(\.element)
        shot = []
        if !complete.isEmpty { await flush(complete) }
    }

    /// Lets the last shot go when nothing more of it has come for the grace.
    private func watch() async {
        while !shot.isEmpty {
            let left = last + Self.grace - clock.now.instant
            if left > .zero { await clock.sleep(for: left) } else { await finish() }
        }
        alarm = nil
    }
}
