import FilmgateCore

/// What belongs to one open place, and goes with it.
///
/// Two cards have the same folders and names, and what one says of a shot must not speak for the other's. What all
/// places share is in `run`.
struct PlaceContext: Sendable {
    let run: RunContext
    let session: any SourceSession
    let trees: ClipTreeNames
    /// Nil where nobody asks what is delivered already: a run without an end would gather it without end.
    let copies: ReadCopies?
    let recent = RecentShots(), bodies = BodySerials()

    /// Connects reading, stages and naming for this place.
    func intake() -> Intake {
        let plan = run.plan, options = run.options, staging = run.staging, isDry = run.writer == nil
        let digests = plan.targets.reduce(into: Set<DigestAlgorithm>()) { $0.formUnion($1.traits.digests) }
        let stager = Stager(
            areas: staging.areas, passesOver: plan.targets.count > 1, digests: digests, dryRun: isDry,
            pool: staging.pool, hub: run.hub, cancelled: run.cancelled, partialFiles: staging.partialFiles,
            checkpoints: CheckpointSink.Rule(clock: run.clock),
            tell: run.note)
        let stampValues = StampValues(
            profiles: plan.profiles, event: options.event, photographer: options.photographer,
            volumeLabel: session.place.label, digests: digests, areas: isDry ? [] : staging.areas, bodies: bodies,
            ledger: run.reader, station: plan.station)
        let planner = NamePlanner(
            ledger: run.reader, targets: plan.targets, profiles: plan.profiles, reservations: run.reservations,
            event: options.deliveryEvent, isEventOrdered: options.isEventOrdered, photographer: options.photographer,
            again: options.again, volumeLabel: session.place.label, bodies: bodies, trees: trees, copies: copies,
            rules: plan.rules,
            awaits: plan.awaits, station: plan.station, isSharing: !plan.shared.isEmpty,
            stopping: run.stopping)
        let reader = ShotReader(
            session: session, stager: stager, line: Line(stages: plan.stages, stampValues: stampValues),
            statistics: run.statistics, hub: run.hub, ledger: run.reader)
        return Intake(place: self, reader: reader, planner: planner, wait: options.wait, leaving: run.leave)
    }
}
