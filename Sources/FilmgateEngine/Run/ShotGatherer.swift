import FilmgateCore

/// Puts together what arrives of one shot at nearly the same moment, so that RAW and JPEG are placed as one.
actor ShotGatherer {
    /// The files of a shot are told about one right after the other; this much may lie between them.
    private static let grace = Duration.milliseconds(15)
    private let flush: @Sendable ([SourceEntry]) async -> Void
    private var shot: [SourceEntry] = []
    private var generation = 0

    /// `flush` gets the files of one shot, its primary first, shots in the order of their first files.
    init(_ flush: @escaping @Sendable ([SourceEntry]) async -> Void) { self.flush = flush }

    func add(_ entry: SourceEntry) async {
        if let first = shot.first, first.shot.key != entry.shot.key { await finish() }
        shot.append(entry)
        generation += 1
        let now = generation
        Task {
            try? await Task.sleep(for: Self.grace)
            await self.finish(ifStill: now)
        }
    }

    func finish() async {
        let complete = shot.enumerated().sorted { ($0.element.kind.rank, $0.offset) < ($1.element.kind.rank, $1.offset) }.map(\.element)
        shot = []
        if !complete.isEmpty { await flush(complete) }
    }

    private func finish(ifStill now: Int) async { if generation == now { await finish() } }
}
