/// A state directory as a station: who it says to be when it joins.
public struct StationIdentity: Sendable, Hashable {
    /// 32 lower-case hexadecimal digits, made once for a state directory.
    public var uuid: String
    /// 1 to 64 bytes.
    public var name: String
    /// Where it stands, for people; nil where nobody said.
    public var site: String?
    /// True: whoever used this identity before has lost it, as after a restored or copied state directory.
    public var asNew: Bool
    /// It comes and goes: a day after its last session it is retired, and its name is free.
    public var isEphemeral = false

    public init(uuid: String, name: String, site: String? = nil, asNew: Bool = false) {
        (self.uuid, self.name, self.site, self.asNew) = (uuid, name, site, asNew)
    }
}

/// A station's place in one catalogue, kept in its ledger.
public struct StationMembership: Sendable, Hashable {
    public var uuid: String, name: String
    /// Grows each time the identity is taken anew.
    public var epoch: Int
    /// The catalogue that it joined, 32 hexadecimal digits.
    public var catalog: String
    /// Up to which change of this station the catalogue knew it then.
    public var applied: Int64

    public init(uuid: String, name: String, epoch: Int, catalog: String, applied: Int64) {
        (self.uuid, self.name, self.epoch, self.catalog, self.applied) = (uuid, name, epoch, catalog, applied)
    }
}

/// A station's presence in the catalogue; it ends by itself when it is not renewed.
public struct CatalogSession: Sendable, Hashable {
    public var token: Int64
    /// Up to which change the catalogue knows this station.
    public var applied: Int64
    /// How long it lasts after each renewal.
    public var lasts: Duration
    /// The history of the server that answered; nil where it does not say.
    public var history: ServerHistory?
    /// Milliseconds by which this machine's clock is ahead of the server's; nil where it does not say.
    public var clockAhead: Int?

    public init(
        token: Int64, applied: Int64, lasts: Duration, history: ServerHistory? = nil, clockAhead: Int? = nil
    ) {
        (self.token, self.applied, self.lasts, self.history) = (token, applied, lasts, history)
        self.clockAhead = clockAhead
    }
}

/// A session that goes on, perhaps at another server than before: that one may lack what was granted last.
public struct CatalogRenewal: Sendable, Hashable {
    /// The history of the server that answered; nil where it does not say.
    public var history: ServerHistory?

    public init(history: ServerHistory? = nil) { self.history = history }
}

/// Which server of a database answers, and what it has in common with others.
public struct ServerHistory: Sendable, Hashable {
    /// The same for a server and all its copies; nil where it does not say.
    public var cluster: Int64?
    /// Grows with each failover.
    public var timeline: Int64

    public init(cluster: Int64? = nil, timeline: Int64) { (self.cluster, self.timeline) = (cluster, timeline) }

    /// Another one has taken its place: it is an old primary that came back.
    ///
    /// Two clusters have nothing to do with each other: a database that was moved to a new one begins anew there.
    public func isBehind(_ other: ServerHistory) -> Bool {
        if let cluster, let theirs = other.cluster, cluster != theirs { return false }
        return timeline < other.timeline
    }
}

/// One station, as the catalogue knows it.
public struct StationSummary: Sendable, Hashable {
    public var name: String, site: String?, version: String?
    /// Seconds since it was heard last, by the server's clock; nil when it never was.
    public var silence: Double?
    /// Whether its session lasts still.
    public var present: Bool
    /// Milliseconds by which its clock is ahead of the server's; nil where it never said.
    public var clockAhead: Int?
    public var applied: Int64, revoked: Bool
    /// How it said to be, as JSON.
    public var status: String?

    public init(name: String, applied: Int64, present: Bool, revoked: Bool) {
        (self.name, self.applied, self.present, self.revoked) = (name, applied, present, revoked)
    }
}
