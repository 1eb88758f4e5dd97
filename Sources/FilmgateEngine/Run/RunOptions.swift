public import FilmgateCore

/// What a verb asks of a run, beyond the pipeline file.
public struct RunOptions: Sendable {
    /// The verb, as the ledger remembers it: `import`, `watch`, `run`, `retry`.
    public var verb: String
    public var event: String?
    /// The event was named for this run alone: it is to have what was taken for another, too.
    ///
    /// False where it was chosen before, for whatever comes.
    public var isEventOrdered = true
    /// Without an event, everything is spooled as unassigned and nothing is sent (`event: { hold: true }`).
    public var holdsForEvent = false
    /// Overrides the profiles' photographer.
    public var photographer: String?
    /// Take known files again and restore what was removed at a target.
    public var again: Bool
    /// Send also what another station may have sent, or says to have sent.
    public var anyway = false
    /// Read and decide everything, write nothing.
    public var dryRun: Bool
    /// How long a one-shot verb goes on without progress before it leaves the rest pending.
    ///
    /// What the system itself does not let go of, such as a share that hangs, is waited for all the same.
    public var wait: Duration
    /// How long a one-shot verb waits for cameras that are not there yet, or not ready; nil: they must be.
    public var arrival: Duration?
    /// False where whoever has the camera will not let it go meanwhile: this program itself.
    public var awaitsBusy = true
    /// Instead of what each camera source says of its backlog.
    public var backlog: Backlog?
    /// Shut while nothing new is to be taken.
    public var gate: PauseGate?
    /// Told what of each source is still to be read, for whoever looks on; nil: nobody can.
    public var upcoming: UpcomingFrames?
    /// Asked what other stations told of a card while it is read; nil: nobody is.
    public var stations: StationClaims?
    /// Filmgate's state directory.
    public var state: String

    public init(
        verb: String, event: String? = nil, photographer: String? = nil, again: Bool = false, dryRun: Bool = false,
        wait: Duration = .seconds(120), state: String
    ) {
        (self.verb, self.event, self.photographer, self.again) = (verb, event, photographer, again)
        (self.dryRun, self.wait, self.state) = (dryRun, wait, state)
    }

    /// The same, asking other stations about cards where one of these pipelines says so, and the run is not dry.
    public func asking(_ claims: StationClaims?, for pipelines: [PipelineFile]) -> RunOptions {
        var options = self
        let tells = pipelines.contains { $0.catalog?.station.knownCards == .tell }
        options.stations = tells && !dryRun ? claims : nil
        return options
    }

    /// The event that deliveries are written down under.
    var deliveryEvent: String? { event ?? (holdsForEvent ? DeliveryRow.unassigned : nil) }
}
