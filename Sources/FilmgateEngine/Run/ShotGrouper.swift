import FilmgateCore

/// Puts together what arrives of one shot at nearly the same moment, so that RAW and JPEG are placed as one.
actor ShotGrouper {
    /// The files of a shot are told about one right after the other; this much may lie between them.
    private static let grace = Duration.milliseconds(15)
    private let flush: @Sendable ([SourceEntry]) async -> Void
    private var shot: [SourceEntry] = [], last = ContinuousClock.now
    /// One for all shots: twenty thousand that come at once are not worth as many clocks.
    private var alarm: Task<Void, Never>?

    /// `flush` gets the files of one shot, its primary first, shots in the order of their first files.
    init(_ flush: @escaping @Sendable ([SourceEntry]) async -> Void) { self.flush = flush }

    func add(_ entry: SourceEntry) async {
        if let first = shot.first, first.shot.key != entry.shot.key { await finish() }
        shot.append(entry)
        last = .now
        if alarm == nil { alarm = Task { await self.watch() } }
    }

    func finish() async {
        let complete = shot.enumerated().sorted { ($0.element.kind.rank, $0.offset) < ($1.element.kind.rank, $1.offset) }.map(\.element)
        shot = []
        if !complete.isEmpty { await flush(complete) }
    }

    /// Lets the last shot go when nothing more of it has come for the grace.
    private func watch() async {
        while !shot.isEmpty {
            let due = last + Self.grace
            if .now < due { try? await Task.sleep(until: due, clock: .continuous) } else { await finish() }
        }
        alarm = nil
    }
}
