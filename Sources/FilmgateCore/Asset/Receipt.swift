/// What is known of one asset at one target.
public struct Receipt: Sendable, Hashable, Codable {
    public enum State: String, Sendable, Hashable, Codable { case done, pending, held, excluded, failed }
    /// What proves that the target has the bytes.
    public enum Proof: String, Sendable, Hashable, Codable {
        /// They were read back and compared.
        case reread
        /// The target named or compared their digest itself: that counts as long as it says nothing else.
        case server
        /// Asked for these bytes it said yes, and named no digest: proof while it is asked, and none later.
        ///
        /// What answers yes to everything, such as the sign-in page of a network, gives such a yes as well.
        case found
        case size, none
        /// Another station's word is all that says so.
        case hearsay

        /// The target was shown to have these very bytes when it was asked.
        public var isProof: Bool { self == .reread || self == .server || self == .found }
        /// As reports and programs read it: to them what proves nothing later is none.
        public var shown: String { self == .hearsay || self == .found ? Proof.none.rawValue : rawValue }
    }

    public var state: State
    /// Absolute path (folder), address (HTTP) or the target's own id; whichever it has.
    public var path: String?, url: String?, id: String?
    public var sha256: String?
    public var verified: Proof
    /// Nanoseconds since 1970.
    public var at: Int64
    /// The reason of anything but `done`, in a sentence; for `done`, what was found in place of an earlier copy, mostly
    /// nil.
    public var reason: String?
    /// True when the target had the bytes already and nothing was sent.
    public var existed: Bool

    /// The reason of what waits for nothing but its turn.
    public static let notSent = "not sent yet"

    public init(
        state: State, path: String? = nil, url: String? = nil, id: String? = nil, sha256: String? = nil,
        verified: Proof = .none, at: Int64 = 0, reason: String? = nil, existed: Bool = false
    ) {
        (self.state, self.path, self.url, self.id, self.sha256) = (state, path, url, id, sha256)
        (self.verified, self.at, self.reason, self.existed) = (verified, at, reason, existed)
    }
}

/// What is known of one asset at the target that the pipeline file calls so.
public struct NamedReceipt: Sendable, Hashable {
    public var target: String, receipt: Receipt
    public init(target: String, receipt: Receipt) { (self.target, self.receipt) = (target, receipt) }
}

/// How an asset ended: exactly one, the first that fits.
public enum Ending: String, Sendable, Hashable, Codable, CaseIterable {
    case setAside, pending, delivered, duplicate, alreadySeen, filtered
}
