/// A session whose device can show a file small before it is read.
public protocol PreviewingSession: SourceSession {
    /// The device's own small picture of a file that it listed, of at most `limit` bytes; nil where it has none.
    ///
    /// For looking only, and bytes from elsewhere: they are for the process that decodes pictures. Files come first: it
    /// is asked for between two of them, takes a small part of the link's time, and `unavailable` says that it is not
    /// to be had just now. Called on any thread, also while files are read.
    func preview(of origin: Origin, upTo limit: Int) async throws(IngestError) -> [UInt8]?
}

/// How much of a device's time small pictures take: a twentieth, however many are wanted.
public struct PreviewPace: Sendable {
    /// Nothing is asked for before.
    public private(set) var due = ContinuousClock.now

    public init() {}

    /// One was asked for, from then until now.
    public mutating func asked(at begun: ContinuousClock.Instant) {
        due = .now + (ContinuousClock.now - begun) * Self.rest
    }
    /// Nothing is asked for so many times as long as one took.
    private static let rest = 19
}
