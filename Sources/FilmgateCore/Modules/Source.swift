/// Finds places to take assets from, and opens them: a card reader, a camera make, a hot folder.
public protocol SourceDriver: Sendable {
    /// What can be taken from now: one entry per card, camera or folder. `notFound` when a place that was asked for is
    /// not there.
    func places() async throws(IngestError) -> [SourcePlace]
    /// Opens one place. `deviceBusy`, `accessDenied`, `deviceGone` as they apply. The caller closes the session.
    func open(_ place: SourcePlace) async throws(IngestError) -> any SourceSession
    /// What it asks of a continuous run. Default: everything is taken, and `places` is asked every few seconds.
    var traits: SourceTraits { get }
    /// Tells that `places` may answer differently now, for as long as the stream is held; nil where only asking again
    /// shows it.
    func changes() -> AsyncStream<Void>?
    /// Folders on this machine all of which it takes, as far as its options spell them out: no target may lie inside
    /// one or around it. May ask the disk. Default: none.
    var folders: [String] { get }
}

extension SourceDriver {
    public var traits: SourceTraits { SourceTraits() }
    public func changes() -> AsyncStream<Void>? { nil }
    public var folders: [String] { [] }
}

/// What a source asks of a continuous run, as data.
public struct SourceTraits: Sendable, Hashable {
    /// What is taken of that which was there before the run; nil = all of it, always.
    public var backlog: Backlog?
    /// How often `places` is asked again; nil = only when `changes` says so, or when a place was lost.
    public var lookEvery: Duration?
    /// Opening one of its places may bring places of events to light, with what earlier runs left for these.
    public var findsEvents: Bool

    public init(backlog: Backlog? = nil, lookEvery: Duration? = .seconds(5), findsEvents: Bool = false) {
        (self.backlog, self.lookEvery, self.findsEvents) = (backlog, lookEvery, findsEvents)
    }
}

/// What a continuous run takes of the files that a camera held before it.
public enum Backlog: String, Sendable, Hashable, CaseIterable, ConfigValue {
    /// Everything.
    case all
    /// What is new since this camera was last met; of a camera that was never met, nothing.
    case sinceLast = "since-last"
    /// Nothing, except what an earlier run had begun.
    case nothing = "none"
}

/// Somewhere that assets can be taken from.
public struct SourcePlace: Sendable, Hashable {
    /// Registered name of the module that found it.
    public var source: String
    /// Absolute path, or a camera's address.
    public var address: String
    /// What a person would call it: a volume label, a camera's model and serial.
    public var label: String
    /// Other when something else is at the same address now, such as the next card in a reader; "" where the address
    /// says it all.
    public var visit = ""
    /// False where only single files of the folder at `address` were asked for.
    public var takesAll = true
    /// True for what was found by a pattern or among all that is mounted: nobody asked for just this.
    public var isFound = false
    /// What its files were taken at, where the source knows; nil: the event of the run.
    ///
    /// A place of another event has an address of its own.
    public var event: String?

    public init(source: String, address: String, label: String) {
        (self.source, self.address, self.label) = (source, address, label)
    }
}

/// One open card, camera or folder.
///
/// Used by one task at a time except where a member says otherwise.
public protocol SourceSession: Sendable {
    nonisolated var place: SourcePlace { get }
    /// Identity of the volume or device, the same each time it comes back.
    nonisolated var volume: String { get }
    /// False where nothing tells this device from another of its kind (no serial number, no GUID): then nothing that it
    /// lists counts as taken before, and all of it is read (``Evidence``). Default: true.
    nonisolated var identifiesDevice: Bool { get }
    /// Everything that the source holds now, every non-directory entry exactly once, in card order; reads no file
    /// contents.
    func entries() async throws(IngestError) -> [SourceEntry]
    /// Sends the bytes from `offset` on into `sink`, in order. May be called again after a failure. Several calls may
    /// run at once when `parallelFetches` is above 1. Local files are read by the engine itself through `localPath` and
    /// never reach this. Who goes on after a break proves before that the object is still the same (``ResumeProof``);
    /// `corruptData` with the cause ``OtherBytes`` where it is not, or that cannot be shown: it is then read anew.
    func fetch(_ origin: Origin, from offset: UInt64, into sink: any ByteSink) async throws(IngestError)
    nonisolated var parallelFetches: Int { get }
    /// The bytes of a small range of an object, as proof that it still is the one whose beginning came before a crash;
    /// nil where only whole objects can be read, or where it has fewer.
    func bytes(of origin: Origin, in range: Range<UInt64>) async throws(IngestError) -> [UInt8]?
    /// The path of an object that is an ordinary local file; nil for cameras.
    nonisolated func localPath(_ origin: Origin) -> String?
    /// What appears from now on, for as long as the session is open; nil where the source tells nothing and has to be
    /// listed again. Called at most once, after `entries`.
    func arrivals() async throws(IngestError) -> AsyncStream<SourceNews>?
    /// What `entries` left out, and `arrivals` did not tell by now, because it is not whole yet, with what is missing,
    /// in a sentence.
    ///
    /// Asked once, when the run ends: nothing is listened for any more then.
    func unfinished() async -> [(entry: SourceEntry, reason: String)]
    /// What `entries` could not show because a part of the source did not let itself be listed; asked after it. The run
    /// goes on with what was listed, and tells this.
    func unlisted() async -> IngestError?
    /// The folder of the volume, as `Origin.volumePath` names it, that all entries lie below; "" = anywhere on it.
    nonisolated var home: String { get }
    /// True when the files stay where they are while they are sent: nothing is copied into staging.
    nonisolated var inPlace: Bool { get }
    /// True when a file that ends as filtered stays where it is: it may be judged again while the session is open.
    nonisolated var keepsRefused: Bool { get }
    /// What becomes of a file that could not be read as it was listed; nil = set aside. Throws when the whole source is
    /// gone.
    func fate(of origin: Origin, after failure: IngestError) async throws(IngestError) -> SourceEntry.Fate?
    /// A target has the bytes of one of its assets, and the ledger knows; others may still wait for it. Not told where
    /// another asset with the same bytes was sent in its place: then only `settled` comes. Called on any thread; must
    /// be quick.
    nonisolated func delivered(_ origin: Origin, to target: String)
    /// One of its assets reached its ending, and the ledger knows; in a dry run this is never told. Called on any
    /// thread; must be quick.
    nonisolated func settled(_ settled: AssetResult)
    /// Returns once what was begun for settled assets is done; asked before a run ends, also after `close`.
    func concluded() async
    /// From now on, who is asked for something and is silent for that long is given up: what is under way then fails
    /// with `deviceGone`.
    ///
    /// Called on any thread, also again with less; zero = at once. Default: nothing.
    nonisolated func expectAnswers(within patience: Duration)
    /// What the device is waited for with, and since when it has said nothing; nil while it answers, and while nobody
    /// asks it anything.
    ///
    /// Called on any thread. Default: nil.
    nonisolated var unanswered: DeviceSilence? { get }
    /// How the camera or the source fares; nil where there is nothing to tell.
    ///
    /// Asked about once a minute, between transfers, or every two seconds where that is quick.
    func condition() async -> DeviceCondition?
    /// Ends the session and releases the device. Safe to call twice.
    func close() async
}

extension SourceSession {
    public func arrivals() async throws(IngestError) -> AsyncStream<SourceNews>? { nil }
    public func bytes(of origin: Origin, in range: Range<UInt64>) async throws(IngestError) -> [UInt8]? { nil }
    public func unfinished() async -> [(entry: SourceEntry, reason: String)] { [] }
    public func unlisted() async -> IngestError? { nil }
    public nonisolated var identifiesDevice: Bool { true }
    public nonisolated var home: String { "" }
    public nonisolated var inPlace: Bool { false }
    public nonisolated var keepsRefused: Bool { false }
    public func fate(of origin: Origin, after failure: IngestError) async throws(IngestError) -> SourceEntry.Fate? {
        nil
    }
    public nonisolated func delivered(_ origin: Origin, to target: String) {}
    public nonisolated func settled(_ settled: AssetResult) {}
    public func concluded() async {}
    public nonisolated func expectAnswers(within patience: Duration) {}
    public nonisolated var unanswered: DeviceSilence? { nil }
    public func condition() async -> DeviceCondition? { nil }
}

/// Somebody waits for a device that says nothing.
public struct DeviceSilence: Sendable, Hashable {
    public var since: ContinuousClock.Instant
    /// The file that is being read; nil for anything else.
    public var file: String?

    public init(since: ContinuousClock.Instant, file: String? = nil) { (self.since, self.file) = (since, file) }
}

/// What an open source tells while it is watched.
public enum SourceNews: Sendable {
    /// Something new, whole, and not told about before.
    case arrived(SourceEntry)
    /// Out of reach. The session goes on trying to come back; what appeared meanwhile arrives then.
    case lost(IngestError)
    case back
    /// Its condition has changed: it is asked for at once.
    case changed
    /// Somebody was turned away, in one word: `password`, `path`, `tls`, `elsewhere`.
    case refused(String)
    /// The place has given all that it had, and nothing more comes to it: it is left, and comes back as a new one.
    case over
}

/// One entry of a source's listing.
public struct SourceEntry: Sendable {
    public enum Fate: Sendable, Hashable {
        /// To be ingested.
        case take
        /// Left out by a rule of the source, named in a sentence: junk, housekeeping, a link, a FIFO.
        case filtered(String)
        /// Could not even be listed or opened: named, set aside.
        case unreadable(String)
    }
    public var origin: Origin
    public var kind: MediaKind
    public var shot: ShotPlace
    public var fate: Fate
    /// Protected in the camera, by its lock or key button.
    public var isProtected = false

    public init(origin: Origin, kind: MediaKind, shot: ShotPlace, fate: Fate = .take) {
        (self.origin, self.kind, self.shot, self.fate) = (origin, kind, shot, fate)
    }
}

/// Where fetched bytes go: written, hashed and counted as they come.
public protocol ByteSink: Sendable {
    /// Appends. Blocks for the disk. `storageFull`, `cancelled`.
    func write(_ bytes: RawSpan) throws(IngestError)
}
