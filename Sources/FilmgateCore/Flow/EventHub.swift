import Synchronization

/// What happens during a run, for those who watch: the progress bar, JSON output, the log, the page.
public enum RunEvent: Sendable {
    case listed(place: SourcePlace, entries: Int, bytes: UInt64)
    case started(Origin)
    case read(bytes: UInt64)
    /// An asset reached its ending.
    case settled(AssetResult)
    /// A file that was made to lie beside an asset reached its own; it is none of those that were seen.
    case companion(AssetResult)
    case queue(target: String, waiting: Int, sending: Int)
    /// One target has a file now, and the ledger knows; others may still wait for it. `existed`: it had the bytes
    /// before.
    case delivered(target: String, of: Origin, existed: Bool)
    case held(target: String, reason: String)
    /// It takes something again after it was held.
    case released(target: String)
    case retrying(target: String, what: String, reason: String, after: Duration)
    case trouble(IngestError)
    /// Something is waited for, and this is why; no trouble yet.
    case waiting(IngestError)
    /// A source of a continuous run came, went or came back.
    case source(SourcePlace, SourceState)
    /// Another station told that it has taken files of this card, which has so many: its word, by which nothing is
    /// decided.
    case takenElsewhere(SourcePlace, CardAtStation, files: Int)
    /// Somebody was turned away at a source that listens: `what` is one word, such as `password`.
    case refused(SourcePlace, what: String)
    /// A camera says how it fares.
    case device(SourcePlace, DeviceCondition)
}

/// How a place fares in a continuous run.
public enum SourceState: Sendable {
    /// Open and listed: what is taken of it, and what is left there because it was there before (`backlog`).
    ///
    /// `others`: how many files stay with another event, by its name; "" are those that wait for one, and nil those
    /// that were taken without one.
    case open(taking: Int, leaving: Int, others: [String?: Int])
    /// Out of reach; tried again until it is back.
    case lost(IngestError)
    case back
    /// Nothing more comes from it.
    case finished
}

/// One asset's final state, as shown to people and programs.
public struct AssetResult: Sendable {
    public var asset: Asset
    public var ending: Ending
    public var reason: String?, twin: String?
    /// Another station, which has delivered it to one of its targets in place of this one; mostly nil.
    public var station: String?
    /// What its deliveries are about, where that is known.
    public var content: ContentKey?
    /// Capture time corrected by the profile's clock offset.
    public var captured: CivilTime?
    public var photographer: String?
    /// What its deliveries are for; nil where it has none, or they are for no event.
    public var event: String?
    /// The targets that it is not sent to because somebody took it back there.
    public var takenBack: [String] = []
    /// The targets that it is not sent to because another station saw that the copy there was removed.
    public var seenRemoved: [String] = []
    /// A target has its bytes now that had not before, whatever became of it at others.
    public var isSent = false
    /// It was known, and its last run broke off before it could say what became of it, or left something waiting.
    public var wasUnfinished = false

    /// The reason of files that are filtered because nobody knows what they are.
    public static let unknownKind = "unknown kind of file"
    public var isOfUnknownKind: Bool { ending == .filtered && reason == Self.unknownKind }

    /// A part of the file is missing, and it was read just now.
    public var isDamaged: Bool { ending != .filtered && asset.flags.contains(AssetFlag.truncated) }
    /// What it was taken for is another event than the run's.
    public var isOfOtherEvent: Bool { asset.flags.contains(AssetFlag.otherEvent) }

    public init(asset: Asset, ending: Ending, reason: String? = nil, twin: String? = nil) {
        (self.asset, self.ending, self.reason, self.twin) = (asset, ending, reason, twin)
    }
}

/// Carries events to its watchers, in order, without ever making the engine wait for long: watchers must be quick.
public final class EventHub: Sendable {
    private let watchers = Mutex<[@Sendable (RunEvent) -> Void]>([])
    private let pauses = Mutex<[@Sendable () async -> Void]>([])

    public init() {}

    /// `watcher` is called on whatever thread the event happens, possibly on several at once.
    public func watch(_ watcher: @escaping @Sendable (RunEvent) -> Void) { watchers.withLock { $0.append(watcher) } }

    public func post(_ runEvent: RunEvent) {
        for watcher in watchers.withLock({ $0 }) { watcher(runEvent) }
    }

    /// `pause` is awaited whenever many assets settle at once, so that a watcher who has to ask somebody can keep up.
    public func whenResting(_ pause: @escaping @Sendable () async -> Void) { pauses.withLock { $0.append(pause) } }

    /// Lets those who cannot be quick catch up; for whoever posts thousands of events in a row.
    public func rest() async {
        for pause in pauses.withLock({ $0 }) { await pause() }
    }
}
