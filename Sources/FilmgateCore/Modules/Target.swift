/// Where assets are delivered: a folder, an API, a bucket, a server.
///
/// Retries, limits and logging are the engine's business, not its own.
public protocol UploadTarget: Sendable {
    var traits: TargetTraits { get }
    /// Reachable, permitted, enough room? Writes nothing.
    func check() async throws(IngestError)
    /// Who holds `path` at the target now. Asked in card order while a name is being chosen; targets that do not place
    /// by name say `free`.
    func occupancy(of path: String, for job: UploadJob) async throws(IngestError) -> Occupancy
    /// The target's own answer to "do you have these bytes?"; nil when it has not or cannot say.
    func find(_ job: UploadJob) async throws(IngestError) -> Receipt?
    /// Whether it has these bytes anywhere, asked by their digest alone; nil where it cannot be asked so, or does not
    /// say.
    ///
    /// A promise: false stands against whatever a receipt or an address of earlier says, and is never "I may not look".
    /// Only a target that would know every copy that it has answers it at all.
    func knows(_ job: UploadJob) async throws(IngestError) -> Bool?
    /// Delivers. Safe to repeat for the same digest. Nothing partial is ever visible under the final name.
    func upload(_ job: UploadJob) async throws(IngestError) -> Receipt
    /// Reads the delivered bytes again and compares. `local` copies bypass the page cache.
    func verify(_ receipt: Receipt, size: UInt64, sha256: String) async throws(IngestError) -> Verification
    /// Called once at the end of a run that delivered something here: manifests and the like.
    ///
    /// `delivered` is empty unless the traits say `listsDeliveries`; with that it is called after every run, for what a
    /// killed one left. The ledger has all receipts by then; a target that is no folder is not called where it has not.
    func finishRun(_ delivered: [DeliveredFile]) async throws(IngestError)
}

extension UploadTarget {
    public func occupancy(of path: String, for job: UploadJob) async throws(IngestError) -> Occupancy { .free }
    public func find(_ job: UploadJob) async throws(IngestError) -> Receipt? { nil }
    public func knows(_ job: UploadJob) async throws(IngestError) -> Bool? { nil }
    public func verify(_ receipt: Receipt, size: UInt64, sha256: String) async throws(IngestError) -> Verification {
        .cannotTell
    }
    public func finishRun(_ delivered: [DeliveredFile]) async throws(IngestError) {}
}

/// What the engine must know of a target before it delivers.
public struct TargetTraits: Sendable {
    /// Kind + canonical root or account + event: the target's identity in the ledger, whatever its name in the file.
    public var identity: String
    /// Absolute root of a folder target, nil for remote ones.
    ///
    /// Delivered copies below it can be read by later targets.
    public var localRoot: String?
    /// Path template below the root or in the address, `{…}` filled in by the engine; nil when the target has no names
    /// of its own.
    public var layout: Template?
    /// Further digests that it wants from the transfer's one pass.
    public var digests: Set<DigestAlgorithm>
    /// Uploads at once.
    public var parallel: Int
    /// True when sending the same bytes twice cannot make a second asset even after a lost reply.
    public var idempotent: Bool
    /// Kinds and sizes that it takes; nil = everything.
    ///
    /// What does not fit is filtered for this target before any byte is sent.
    public var accepts: Set<MediaKind>?
    public var maxSize: UInt64?
    /// True where the end of a run needs every file that was delivered; costs memory for each.
    public var listsDeliveries = false
    /// Extensions that it takes, in lower case, for targets that are choosier than kinds tell; nil = all.
    public var extensions: Set<String>?
    /// Width times height above which it refuses pictures; nil = no limit.
    ///
    /// Where a file does not say its size, it is sent.
    public var maxPixels: Int?
    /// Further deliveries that only wait until the far side has worked on what it was sent, beside those that send:
    /// these take none of the `workers`.
    ///
    /// A target that says so limits its sending by itself.
    public var waiting = 0
    /// Where the far side is, as an address with a host; nil where nobody can tell, as for a program that delivers.
    public var address: String?
    /// Of what parts the identity is made, where the name of a sign-in, or none, may stand for an account in it; nil
    /// where the pipeline file itself says whose it is.
    public var signIn: SignIn?
    /// By what the identity ends for the event of the run: its id where the gallery has one, and not its name; nil without
    /// an event.
    public var event: String?
    /// It says whether it has bytes when it is asked by their digest alone, under whatever name it keeps them.
    public var answersByDigest = false
    /// What `check` should tell the user about these options, each a sentence: an overwrite that nothing prevents, and
    /// the like.
    public var warnings: [String] = []

    public init(
        identity: String, localRoot: String? = nil, layout: Template? = nil, digests: Set<DigestAlgorithm> = [],
        parallel: Int = 4, idempotent: Bool = true, accepts: Set<MediaKind>? = nil, maxSize: UInt64? = nil
    ) {
        (self.identity, self.localRoot, self.layout, self.digests, self.parallel) = (
            identity, localRoot, layout, digests, parallel
        )
        (self.idempotent, self.accepts, self.maxSize) = (idempotent, accepts, maxSize)
    }
}

extension TargetTraits {
    /// The parts of a target's identity: `place`, `place:account`, each with `:event` behind it where there is one.
    public struct SignIn: Sendable, Hashable {
        /// Kind and address.
        public var place: String
        /// What the sign-in says of itself, or its name in the pipeline file; nil without one.
        public var account: String?
        public var event: String?

        public init(place: String, account: String?, event: String?) {
            (self.place, self.account, self.event) = (place, account, event)
        }
    }
}

/// What a ledger knows of a target.
public struct TargetUse: Sendable, Hashable {
    public var identity: String
    /// That of its deliveries: an event's target is one of its own.
    public var event: String?
    /// Something was delivered there.
    public var isDelivered: Bool
    /// Something waits there, or is held.
    public var isWaiting = false
    /// What it was called in the pipeline file that it was used by last.
    public var name = ""

    public init(identity: String, event: String?, isDelivered: Bool) {
        (self.identity, self.event, self.isDelivered) = (identity, event, isDelivered)
    }
}

/// On which disk the folder of a target was when it was last noted (`LedgerChange.disk`).
public struct TargetDisk: Sendable, Hashable {
    public var identity: String, name: String, disk: String

    public init(identity: String, name: String, disk: String) {
        (self.identity, self.name, self.disk) = (identity, name, disk)
    }
}

/// One asset for one target.
public struct UploadJob: Sendable {
    public var asset: Asset
    /// Where the bytes are now.
    public var file: LocalFile
    public var digests: Digests
    /// The name chosen by the engine: path below the root, collision-free, safe for the file system.
    public var path: String
    /// The original name at the source.
    public var name: String
    /// Values for the target's own templates (URL, fields).
    public var values: TemplateValues
    public var event: String?
    /// May the target rename `file` into place instead of copying it? Only ever true for staged files.
    public var mayTake: Bool

    public init(
        asset: Asset, file: LocalFile, digests: Digests, path: String, name: String, values: TemplateValues,
        event: String? = nil, mayTake: Bool = false
    ) {
        (self.asset, self.file, self.digests, self.path, self.name) = (asset, file, digests, path, name)
        (self.values, self.event, self.mayTake) = (values, event, mayTake)
    }
}

/// What stands at a name that we would like to use.
public enum Occupancy: Sendable, Hashable {
    case free
    /// The same bytes already: nothing to send; this is the receipt.
    case same(Receipt)
    case other
}

public enum Verification: Sendable, Hashable {
    case equal
    case differs(String)
    case missing
    /// Thrown away there, and to be had only until it is removed for good, as in a bin; says so in a sentence.
    case discarded(String)
    case cannotTell
}

/// One file that a run delivered to a target.
public struct DeliveredFile: Sendable, Hashable {
    public var path: String, size: UInt64, digests: Digests, modified: Int64
    public init(path: String, size: UInt64, digests: Digests, modified: Int64) {
        (self.path, self.size, self.digests, self.modified) = (path, size, digests, modified)
    }
}
