import FilmgateCore

/// Where and how the server listens.
package struct FTPServerOptions: Sendable {
    package enum TLS: String, Sendable, CaseIterable, ConfigValue {
        /// Plain only; for a cable or a network of one's own.
        case none
        /// Plain, or TLS for those who ask for it (AUTH TLS).
        case explicit
        /// Only TLS, asked for with AUTH TLS.
        case required
        /// TLS from the first byte on, on a port of its own.
        case implicit
    }
    package var host = "127.0.0.1", port = 2121
    package var tls = TLS.none
    /// PEM files; needed unless `tls` is `none`.
    package var certificate = "", key = ""
    /// Ports for passive transfers; nil = whatever is free.
    package var passive: ClosedRange<Int>?
    /// The address told to clients that are on the other side of a router; nil = the one that they reached.
    package var passiveAddress: String?
    /// Balancers in front of the server, which say who each client is: nobody else may connect.
    ///
    /// Empty = clients connect themselves.
    package var balancers: [PeerRange] = []
    /// A client that says nothing for so long is let go of.
    package var idle = Duration.seconds(300)
    package var maxSessions = 64
    /// The most of one address (a /64 of IPv6) that wait for the answer to a password; twice as many may be about to send
    /// theirs.
    package var maxUnknown = 12
    /// How long a transfer waits for its data connection.
    package var patience = Duration.seconds(30)
    /// How long transfers may go on when the server stops.
    package var grace = Duration.seconds(10)

    package init() {}
}

/// What was refused and received since the server started.
package struct FTPCounts: Sendable, Hashable {
    package var sessions = 0, uploads = 0, brokenUploads = 0
    package var wrongPasswords = 0, escapes = 0, plainRefused = 0, full = 0, foreignData = 0, unknown = 0
    /// Passwords that nobody could look at.
    package var unasked = 0
    package init() {}

    /// What was refused since `earlier`, in a word; nil for everything else.
    func refusal(since earlier: FTPCounts) -> String? {
        if wrongPasswords > earlier.wrongPasswords { return "password" }
        if escapes > earlier.escapes { return "path" }
        if plainRefused > earlier.plainRefused { return "tls" }
        return foreignData > earlier.foreignData ? "elsewhere" : nil
    }

    package var refused: Int { wrongPasswords + escapes + plainRefused + foreignData }
}
