/// What happened at a station between two of its changes, as the rows are now.
public struct StationReport: Sendable, Hashable {
    /// The number of the last change that was told before, and of the last one in here.
    public var since: Int64, upTo: Int64
    public var contents: [ContentFact] = [], sightings: [SightingFact] = [], deliveries: [DeliveryFact] = []

    public init(since: Int64, upTo: Int64) { (self.since, self.upTo) = (since, upTo) }
}

/// Bytes that a station has read.
public struct ContentFact: Sendable, Hashable {
    /// 64 lower-case hexadecimal digits.
    public var sha256: String
    public var size: UInt64
    /// Civil seconds since 1970, without a zone.
    public var captured: Int64?
    public var kind: MediaKind

    public init(sha256: String, size: UInt64, captured: Int64?, kind: MediaKind) {
        (self.sha256, self.size, self.captured, self.kind) = (sha256, size, captured, kind)
    }
}

/// A file that a station has met, and how it ended.
public struct SightingFact: Sendable, Hashable {
    public var origin: Origin
    public var sha256: String?, ending: Ending
    /// Nanoseconds since 1970, by the station's clock.
    public var at: Int64

    public init(origin: Origin, sha256: String?, ending: Ending, at: Int64) {
        (self.origin, self.sha256, self.ending, self.at) = (origin, sha256, ending, at)
    }
}

/// What became of one content at one target.
public struct DeliveryFact: Sendable, Hashable {
    public enum State: String, Sendable, Hashable { case done, removed, withdrawn }
    public var content: ContentKey
    /// The target's identity as this station's ledger has it, and its name in the pipeline file.
    public var target: String, targetName: String
    public var state: State, proof: Receipt.Proof
    public var size: UInt64
    /// Several stations deliver there; without it, the same identity at two stations means two places.
    public var shared = false
    /// Path, address or id; whichever it has.
    public var receipt: String?
    /// The digest of what was sent where that is not the content.
    public var sent: String?

    public init(
        content: ContentKey, target: String, targetName: String, state: State, proof: Receipt.Proof, size: UInt64
    ) {
        (self.content, self.target, self.targetName) = (content, target, targetName)
        (self.state, self.proof, self.size) = (state, proof, size)
    }
}

/// A delivery that a station would like to make.
public struct ClaimWish: Sendable, Hashable {
    public var content: ContentKey
    /// The identity that all its stations give the shared target.
    public var target: String, targetName: String
    /// The target can be asked for bytes, or takes them twice without harm: a claim there ends with its session.
    public var canBeSettled: Bool
    /// It can be asked, so that also what somebody sent who could not ask is settled.
    public var canBeAsked: Bool
    /// A person said so: what somebody saw removed is sent again.
    public var again = false
    /// A person said so: what another station may have sent is sent all the same.
    public var anyway = false
    /// This station knows what came of what it had claimed itself before.
    public var isKnown = false
    /// A person said so, and the target was asked: what another station says to have delivered is sent all the same.
    public var insists = false
    /// Of a claim that is given back: it was tried, so that whoever has it next has to ask the target first.
    public var mayHaveArrived = false

    /// `canBeAsked`: absent, as `canBeSettled`.
    public init(
        content: ContentKey, target: String, targetName: String, canBeSettled: Bool = true, canBeAsked: Bool? = nil
    ) {
        (self.content, self.target, self.targetName, self.canBeSettled) = (content, target, targetName, canBeSettled)
        self.canBeAsked = canBeAsked ?? canBeSettled
    }
}

/// What the catalogue says to a wish.
///
/// `isOwn`: it was this very station, whatever either is called. `since` and `at`: when it was claimed, by the server's
/// clock, in nanoseconds since 1970; nil where the catalogue does not say.
public enum ClaimAnswer: Sendable, Hashable {
    case granted
    /// Granted, and somebody else had it before: the target must be asked for these bytes first.
    case takenOver
    /// Another station has it now.
    case held(by: String, since: Int64? = nil)
    /// Another station says that it is done.
    case done(by: String, receipt: String?, isOwn: Bool = false)
    /// Another station may or may not have sent it, and nobody can ask this target from here.
    case unsure(by: String, isOwn: Bool = false, at: Int64? = nil)
    /// Another station saw that the copy there is gone.
    case removed(by: String, isOwn: Bool = false)
    /// Just now nobody can tell: ask again. Never means free.
    case undecided
}
