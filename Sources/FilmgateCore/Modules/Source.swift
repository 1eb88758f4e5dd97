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

/// One open card, camera or folder: what every source has.
///
/// What only some can do is a protocol of its own (`SessionAbilities.swift`), and the engine asks whether a session
/// conforms to it: one that cannot do a thing has no member for it. Used by one task at a time except where a member
/// says otherwise.
public protocol SourceSession: Sendable {
    nonisolated var place: SourcePlace { get }
    /// Identity of the volume or device, the same each time it comes back.
    nonisolated var volume: String { get }
    /// What it says of itself; the same for as long as it is open.
    nonisolated var traits: SessionTraits { get }
    /// Everything that the source holds now, every non-directory entry exactly once, in card order; reads no file
    /// contents.
    func entries() async throws(IngestError) -> [SourceEntry]
    /// Sends the bytes from `offset` on into `sink`, in order. May be called again after a failure. Several calls may
    /// run at once when `parallelFetches` is above 1. Local files are read by the engine itself through `localPath` and
    /// never reach this. Who goes on after a break proves before that the object is still the same (``ResumeProof``);
    /// `corruptData` with the cause ``OtherBytes`` where it is not, or that cannot be shown: it is then read anew.
    func fetch(_ origin: Origin, from offset: UInt64, into sink: any ByteSink) async throws(IngestError)
    /// The path of an object that is an ordinary local file; nil for cameras.
    nonisolated func localPath(_ origin: Origin) -> String?
    /// Ends the session and releases the device. Safe to call twice.
    func close() async
}

/// What a session says of itself, as data.
public struct SessionTraits: Sendable, Hashable {
    /// False where nothing tells this device from another of its kind (no serial number, no GUID): then nothing that it
    /// lists counts as taken before, and all of it is read (``Evidence``).
    public var identifiesDevice: Bool
    /// How many files may be fetched at once.
    public var parallelFetches: Int
    /// The folder of the volume, as `Origin.volumePath` names it, that all entries lie below; "" = anywhere on it.
    public var home: String
    /// True when the files stay where they are while they are sent: nothing is copied into staging.
    public var inPlace = false
    /// True when a file that ends as filtered stays where it is: it may be judged again while the session is open.
    public var keepsRefused = false

    public init(identifiesDevice: Bool, parallelFetches: Int, home: String = "") {
        (self.identifiesDevice, self.parallelFetches, self.home) = (identifiesDevice, parallelFetches, home)
    }
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
