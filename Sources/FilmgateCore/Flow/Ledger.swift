/// What has happened to every asset: the reading half.
///
/// Reads never lock the state and may run beside a writer, in another process too.
public protocol LedgerReader: Sendable {
    /// Every file of `volume` that was seen, with what is needed to know it again; one call per card, not one per file.
    ///
    /// Several states of one path come in the order in which they were first recorded, whatever times they have.
    func known(volume: String) async throws(IngestError) -> [KnownFile]
    /// The same for the files below one folder of the volume ("" = all of it), named as `Origin.volumePath` names it,
    /// without a `/` at its end.
    ///
    /// Dumps and hot folders share the volume of the disk that they lie on: this costs their own files, not all that
    /// ever came from that disk.
    func known(volume: String, below folder: String) async throws(IngestError) -> [KnownFile]
    /// Deliveries of these bytes, at any target.
    func deliveries(of content: ContentKey) async throws(IngestError) -> [DeliveryRow]
    /// What is known of each of these at its targets, in their order; one call for many files.
    func receipts(of contents: [ContentKey]) async throws(IngestError) -> [[NamedReceipt]]
    /// The earliest file with these bytes, as a person would name it (source and path); nil when they are new.
    func twin(of content: ContentKey) async throws(IngestError) -> String?
    /// The picture, by its SHA-256, that a sidecar with these bytes was delivered beside, where `picture` is of the
    /// same shot and moment; nil for none, and where `picture` has replaced it at its path.
    func neighbour(of picture: String, withSidecar sha256: String) async throws(IngestError) -> String?
    /// The content that holds `path` (compared case-folded) at `target`: delivered, promised, or failed and so open to
    /// another try.
    func holder(of path: String, at target: String) async throws(IngestError) -> ContentKey?
    /// The name chosen earlier for a shot at a target; a late file of the shot gets the same.
    func shotName(_ shot: String, at target: String, event: String?) async throws(IngestError) -> ShotName?
    /// All names chosen for shots whose key begins so: those of one place and stem, whatever moment they were taken at.
    func shotNames(below prefix: String, at target: String, event: String?) async throws(IngestError) -> [(
        shot: String, name: ShotName
    )]
    /// The files that are or will be called `stem` (compared case-folded) with any extension at `target`; what a target
    /// refused counts.
    func files(named stem: String, at target: String) async throws(IngestError) -> [NamedFile]
    /// The highest counter given so far for `target` and `event`; 0 when none.
    func counter(at target: String, event: String?) async throws(IngestError) -> Int
    /// Deliveries in `state`s, oldest first, with what is needed to send them.
    func queue(_ states: Set<Receipt.State>) async throws(IngestError) -> [QueuedDelivery]
    /// Assets, newest run first; for `status`, `history` and the page.
    func assets(_ filter: AssetFilter) async throws(IngestError) -> [AssetRow]
    /// A row for each file that has `sha256`, wherever it lies, the latest of each content key first.
    func assets(sha256: String) async throws(IngestError) -> [AssetRow]
    func runs(limit: Int) async throws(IngestError) -> [RunRow]
    func totals() async throws(IngestError) -> LedgerTotals
    /// Done deliveries at a target whose path is below `prefix` ("" = all), for `verify`.
    func delivered(below prefix: String) async throws(IngestError) -> [DeliveryRow]
    /// Tells of every delivered copy in a folder, and of every one that its target has denied since, for the files of
    /// the volume below `folder`; each once, in the order of their paths.
    ///
    /// `tell` is called on whatever thread reads, one copy after the other.
    func copies(
        volume: String, below folder: String, _ tell: @escaping @Sendable (DeliveredCopy) -> Void
    ) async throws(IngestError)
    /// Targets whose identity begins with `prefix` and that have deliveries, in whatever state.
    func uses(ofTargets prefix: String) async throws(IngestError) -> [TargetUse]
    /// The disk on which the folder of a target was when it was last noted (`LedgerChange.disk`); nil where none was.
    func disk(of target: String) async throws(IngestError) -> String?
    /// The disks of all targets whose identity begins with `prefix`, where one was noted.
    func disks(ofTargets prefix: String) async throws(IngestError) -> [TargetDisk]
    /// Serial numbers of the bodies of a model that files came from.
    func bodies(make: String?, model: String) async throws(IngestError) -> [String]
    /// Deliveries that wait, are held or pending, and are judged by the marks of these pictures; with nil, by any.
    func queue(judgedBy sha256s: Set<String>?) async throws(IngestError) -> [QueuedDelivery]
    /// What people said of these pictures, by their SHA-256; of those that nobody has marked, nothing.
    func marks(of sha256s: [String]) async throws(IngestError) -> [String: PictureMark]
    /// Notes on one asset, or on anything (nil), newest first.
    func notes(of asset: AssetID?, limit: Int) async throws(IngestError) -> [NoteRow]
}

extension LedgerReader {
    /// Reads all of the volume and picks.
    public func known(volume: String, below folder: String) async throws(IngestError) -> [KnownFile] {
        let all = try await known(volume: volume), prefix = Array((folder + "/").utf8)
        return folder.isEmpty ? all : all.filter { $0.fingerprint.path.utf8.starts(with: prefix) }
    }
    /// Asks for one after the other.
    public func receipts(of contents: [ContentKey]) async throws(IngestError) -> [[NamedReceipt]] {
        var all: [[NamedReceipt]] = []
        for content in contents {
            all.append(
                try await deliveries(of: content).map { NamedReceipt(target: $0.targetName, receipt: $0.receipt) })
        }
        return all
    }
    /// None, for ledgers that do not remember.
    public func shotNames(
        below prefix: String, at target: String, event: String?
    ) async throws(IngestError) -> [(shot: String, name: ShotName)] { [] }
    /// None, for ledgers that do not remember.
    public func files(named stem: String, at target: String) async throws(IngestError) -> [NamedFile] { [] }
    /// None, for ledgers that do not remember.
    public func bodies(make: String?, model: String) async throws(IngestError) -> [String] { [] }
    /// None, for ledgers that do not remember.
    public func copies(
        volume: String, below folder: String, _ tell: @escaping @Sendable (DeliveredCopy) -> Void
    ) async throws(IngestError) {}
    /// None, for ledgers that do not remember.
    public func disk(of target: String) async throws(IngestError) -> String? { nil }
    /// None, for ledgers that do not remember.
    public func disks(ofTargets prefix: String) async throws(IngestError) -> [TargetDisk] { [] }
    /// None, for ledgers that keep no marks.
    public func queue(judgedBy sha256s: Set<String>?) async throws(IngestError) -> [QueuedDelivery] { [] }
    /// None, for ledgers that keep no marks.
    public func marks(of sha256s: [String]) async throws(IngestError) -> [String: PictureMark] { [:] }
    /// None, for ledgers that keep no notes.
    public func notes(of asset: AssetID?, limit: Int) async throws(IngestError) -> [NoteRow] { [] }
}

/// The writing half: one instance at a time (`stateLocked` otherwise).
public protocol Ledger: LedgerReader {
    /// Returns once the changes are committed, in order; changes of concurrent callers share a transaction.
    ///
    /// Survives a crash of the program; a power cut may lose the last commits, never consistency.
    func record(_ changes: [LedgerChange]) async throws(IngestError)
    /// Opens a run and returns its number.
    func beginRun(verb: String, event: String?, at: Int64) async throws(IngestError) -> Int64
    /// Makes everything committed so far survive a power cut too.
    func sync() async throws(IngestError)
}

/// One change to the ledger.
public indirect enum LedgerChange: Sendable {
    /// Inserts or replaces the asset with that origin.
    ///
    /// Digests and metadata belong to its content: where they are nil, what is known stays.
    case asset(AssetRow)
    /// Inserts or replaces the delivery of that content at that target.
    case delivery(DeliveryRow)
    /// Removes the delivery of that content at that target: it goes to `heir` instead, for that event.
    ///
    /// Files of these bytes that wait for `target` wait for `heir` from then on.
    case withdraw(ContentKey, target: String, heir: String, event: String?)
    /// What waits at `from` for an event belongs to that of the row from now on, and waits as the row says: it goes to the
    /// row's target instead.
    ///
    /// Nothing where it waits for none any more.
    case assigned(DeliveryRow, from: String)
    /// A target was heard of a delivery that it has: that it denies the copy, or, with nil, that it has these very
    /// bytes.
    ///
    /// A delivery alone takes no denial back: it may have been found to be done already by nobody's word.
    case heard(ContentKey, target: String, Denial?)
    /// Somebody took that delivery back: its row, `excluded`, replaces what waited, and files that wait for nothing
    /// else end.
    case cancelled(DeliveryRow, run: Int64, at: Int64)
    /// The deliveries of these bytes went on: files of earlier runs that wait for nothing else end too, as duplicates
    /// of `twin`, or set aside where a target refused them; those that go on waiting say for what is left.
    ///
    /// Files of `run` itself are left to it, unless it has ended them by what it knew of other jobs' deliveries, which
    /// may have gone on since: they end as delivered.
    case followed(ContentKey, twin: String, run: Int64, at: Int64)
    case shotName(ShotName, shot: String, target: String, event: String?)
    /// The folder of that target lies on that disk now; in which words is for those who compare them, but for none: the
    /// disk was given up.
    case disk(String, target: String, name: String)
    /// A picture has the marks of its shot, which were said before it was known.
    case marked(String, PictureMark)
    case note(asset: AssetID?, at: Int64, text: String)
    case endRun(Int64, at: Int64, exit: Int, summary: RunSummary)
}

/// One asset.
public struct AssetRow: Sendable, Hashable {
    public var origin: Origin
    public var run: Int64
    public var kind: MediaKind
    public var shot: ShotPlace
    public var content: ContentKey?
    public var digests: Digests?
    public var media: MediaFacts?
    public var flags: Set<String>
    /// Identities of the targets that its profile wanted at the time.
    public var wanted: [String]
    /// Nil while it is on its way.
    public var ending: Ending?
    public var reason: String?, twin: String?
    public var event: String?, photographer: String?
    /// Nanoseconds since 1970.
    public var at: Int64

    public init(origin: Origin, run: Int64, kind: MediaKind, shot: ShotPlace, at: Int64) {
        (self.origin, self.run, self.kind, self.shot, self.at) = (origin, run, kind, shot, at)
        (flags, wanted) = ([], [])
    }
}

/// One content at one target.
public struct DeliveryRow: Sendable, Hashable {
    public var content: ContentKey
    /// Target identity, and its name in the pipeline file when last used.
    public var target: String, targetName: String
    public var receipt: Receipt
    public var size: UInt64
    /// Path below the target's root or in its address; "" for targets without names, and while it is to be named when it
    /// is sent.
    public var path: String
    /// Nil without an event, `unassigned` while it waits for one.
    public var event: String?
    /// While pending or held: where the bytes wait, and whether that file is ours to remove.
    public var file: String?, staged: Bool
    /// How `path` is made, while it may still change; nil without a name, once it is done, and in rows of earlier
    /// versions.
    public var name: DeliveryName?
    /// How often it was sent; `unasked` while the target has not been asked yet what stands at `path`.
    public var attempts: Int
    /// Nanoseconds since 1970; nil = as soon as possible.
    public var nextTry: Int64?
    /// What it waits for, or would wait for if a person took a mark back; nil where no mark matters.
    public var gate: MarkGate?
    /// What the target said against this copy since it was delivered; nil when it said nothing, or said later that it
    /// has it.
    public var denial: Denial?

    public init(content: ContentKey, target: String, targetName: String, receipt: Receipt, size: UInt64, path: String) {
        (self.content, self.target, self.targetName, self.receipt, self.size, self.path) = (
            content, target, targetName, receipt, size, path
        )
        (staged, attempts) = (false, 0)
    }

    /// For `attempts`: the name was chosen while the target did not answer, so nothing was ever sent there.
    public static let unasked = -1

    /// For `attempts` of a delivery that was taken back: its place is gone, and what is delivered there later is a new
    /// copy.
    public static let retired = -2
    /// For `attempts` of a delivery that marks have ended: it comes back with them.
    public static let unwanted = -4
    /// The reason of every delivery that was taken back.
    public static let cancelledReason = "taken back with `filmgate cancel`; `import --again` orders it anew"
    public static let retiredReason = "its place is gone, said with `filmgate cancel --gone`"
    /// The reason of a delivery whose copy somebody removed on purpose.
    public static let culledReason =
        "removed there on purpose, said with `filmgate cancel --gone`; `import --again` orders it anew"
    /// Part of the reason of a delivery that is not made because a station saw that.
    public static let seenRemoved = "saw that the copy there was removed"
    /// True for the reason of a delivery that a person ended, not a rule.
    public static func isByHand(_ reason: String?) -> Bool {
        [cancelledReason, retiredReason, culledReason].contains { reason?.hasPrefix($0) == true }
    }
    /// Somebody took it back: it counts as filtered there, never as delivered.
    public var isCancelled: Bool { receipt.state == .excluded && attempts != Self.retired && !isUnwanted }
    /// Marks have ended it, such as a rejection.
    public var isUnwanted: Bool {
        receipt.state == .excluded && (attempts == Self.unwanted || attempts == Self.unwantedThere)
    }

    /// The event of a delivery that is held until somebody says which event it belongs to.
    public static let unassigned = ""
    public var isUnassigned: Bool { event == Self.unassigned }
    /// Other bytes than the asset's were made for this target; the receipt's digest is theirs.
    public var holdsRendition: Bool { receipt.sha256.map { $0 != content.sha256 } ?? false }
}

/// The parts of a delivery's path, so that the next name is made of them and never of the path's text.
public struct DeliveryName: Sendable, Hashable {
    /// The path with places for the event, the number and the suffix.
    public var pattern: String
    /// Value of `{counter}`; 0 where the name does not use it, or its event is not known yet.
    public var counter: Int
    /// 1 = none, 2 = `-2` and so on.
    public var suffix: Int
    public init(pattern: String, counter: Int, suffix: Int) {
        (self.pattern, self.counter, self.suffix) = (pattern, counter, suffix)
    }
}

/// A file that has a name at a target, and the shot that it is of; one for each place where its bytes were found.
///
/// `volume` and `shot` are empty where none is known any more.
public struct NamedFile: Sendable, Hashable {
    public var content: ContentKey, kind: MediaKind
    public var volume: String, shot: ShotPlace, serial: String?, captured: CivilTime?
    /// It is only meant to have the name: its target was not asked yet what stands there.
    public var isWish: Bool
    public init(
        content: ContentKey, kind: MediaKind, volume: String, shot: ShotPlace, serial: String?, captured: CivilTime?,
        isWish: Bool = false
    ) {
        (self.content, self.kind, self.volume, self.shot) = (content, kind, volume, shot)
        (self.serial, self.captured, self.isWish) = (serial, captured, isWish)
    }
}

/// A target's word against its own receipt: that it no longer has what was delivered, or has other bytes there.
///
/// It stands above everything that the target said before, and until the target itself says otherwise: these bytes were
/// found there by their digest, or were delivered anew. A target that does not answer takes nothing back.
public struct Denial: Sendable, Hashable, Codable {
    public enum Kind: String, Sendable, Hashable, Codable { case gone, differs }
    public var kind: Kind
    /// In a sentence, as it was told when it was heard.
    public var reason: String
    /// Nanoseconds since 1970: when it was heard last.
    public var at: Int64

    public init(_ kind: Kind, _ reason: String, at: Int64) { (self.kind, self.reason, self.at) = (kind, reason, at) }
}

/// What a target said of a delivery to somebody who asked it beside whatever run goes on.
public struct TargetStatement: Sendable, Hashable {
    public var content: ContentKey, target: String
    /// The time of the receipt that was asked about, and the denial that stood then: where either is another by now,
    /// somebody has heard the target later, and this word is dropped.
    public var receiptAt: Int64, before: Denial?
    /// Nil: it has these very bytes.
    public var denial: Denial?

    public init(of row: DeliveryRow, _ denial: Denial?) {
        (content, target, receiptAt, before) = (row.content, row.target, row.receipt.at, row.denial)
        self.denial = denial
    }
}

/// A copy that was delivered, as far as looking for it needs.
public struct DeliveredCopy: Sendable, Hashable {
    /// Target identity and name.
    public var target: String, targetName: String
    /// Nil for remote targets.
    public var path: String?
    public var denial: Denial?
    /// Named at least where its target has denied the copy.
    public var content: ContentKey?

    public init(target: String, targetName: String, path: String?, denial: Denial?, content: ContentKey? = nil) {
        (self.target, self.targetName, self.path, self.denial) = (target, targetName, path, denial)
        self.content = content
    }
}

/// A delivery that waits, and the asset that it belongs to.
public struct QueuedDelivery: Sendable, Hashable {
    public var delivery: DeliveryRow, asset: AssetRow
    public init(delivery: DeliveryRow, asset: AssetRow) { (self.delivery, self.asset) = (delivery, asset) }
}

/// What a shot is called at a target.
public struct ShotName: Sendable, Hashable, Codable {
    /// Value of `{counter}`; 0 where the name does not use it.
    public var counter: Int
    /// 1 = none, 2 = `-2` and so on; the same for the whole shot.
    public var suffix: Int
    /// Path of the primary without suffix and extension: a shot whose folder or rename rule changed gets a new name.
    public var base: String
    public init(counter: Int, suffix: Int, base: String) {
        (self.counter, self.suffix, self.base) = (counter, suffix, base)
    }
}

/// A remark on an asset, or on a run as a whole.
public struct NoteRow: Sendable, Hashable, Codable {
    public var asset: AssetID?, at: Int64, text: String
    public init(asset: AssetID?, at: Int64, text: String) { (self.asset, self.at, self.text) = (asset, at, text) }
}

public struct AssetFilter: Sendable, Hashable {
    /// `run` lists what became of files in that run, also where a later one went on with them.
    public var endings: Set<Ending>?, run: Int64?, root: String?, limit: Int
    /// Only files with these bytes.
    public var content: ContentKey?
    /// What changed last comes first; without files that were made here.
    public var latest = false
    public init(endings: Set<Ending>? = nil, run: Int64? = nil, root: String? = nil, limit: Int = 1000) {
        (self.endings, self.run, self.root, self.limit) = (endings, run, root, limit)
    }
}

public struct RunRow: Sendable, Hashable, Codable {
    public var id: Int64, verb: String, event: String?, started: Int64, ended: Int64?, exit: Int?, summary: RunSummary?
    public init(
        id: Int64, verb: String, event: String?, started: Int64, ended: Int64?, exit: Int?, summary: RunSummary?
    ) {
        (self.id, self.verb, self.event, self.started, self.ended, self.exit, self.summary) = (
            id, verb, event, started, ended, exit, summary
        )
    }
}

/// The buckets of a run; `seen` is their sum.
public struct RunSummary: Sendable, Hashable, Codable {
    public var counts: [Ending: Int]
    /// Bytes delivered now, counted once per asset that any target got, and bytes read from the sources.
    public var bytes: UInt64, bytesRead: UInt64
    public var seconds: Double

    public init(counts: [Ending: Int] = [:], bytes: UInt64 = 0, bytesRead: UInt64 = 0, seconds: Double = 0) {
        (self.counts, self.bytes, self.bytesRead, self.seconds) = (counts, bytes, bytesRead, seconds)
    }
    public var seen: Int { counts.values.reduce(0, +) }
    public subscript(ending: Ending) -> Int { counts[ending] ?? 0 }
}
