public import FilmgateCore

/// One file in the list of all files: what sorts, filters and finds it, without what hangs on it.
public struct FrameEntry: Sendable, Hashable {
    /// Stays the same as long as there is this file; tells nothing of it.
    public let number: UInt64
    let volume: Int64, path: String, size: UInt64
    public let run: Int64, kind: MediaKind
    /// Nil while it is on its way.
    public let ending: Ending?
    /// Nanoseconds since 1970: when it was first recorded, and last.
    public let since: Int64, at: Int64
}

/// Which files are listed.
public struct FrameFilter: Sendable, Hashable {
    /// Nil: all of them.
    public var endings: Set<Ending>?, kinds: Set<MediaKind>?, run: Int64?, event: String?
    /// Nil: of any age; else those that were first recorded at that time, in nanoseconds since 1970, or later.
    public var from: Int64?
    /// With `endings`, or alone: files that have none yet.
    public var isUnfinished = false
    /// Part of a name, beginning of a SHA-256, or a body's serial number; "" finds all.
    public var text = ""
    public init() {}
}

/// A volume and a folder on it that files came from.
public struct KnownPlace: Sendable, Hashable {
    public var volume: String, root: String, source: String
    public var files = 0, bytes: UInt64 = 0, last: Int64 = 0
    public var endings: [Ending: Int] = [:], unfinished = 0
}

/// How many files have ended how, and how many have not.
public struct FrameCounts: Sendable, Hashable {
    public var endings: [Ending: Int] = [:], unfinished = 0
    public init() {}
    init(endings: [Ending: Int], unfinished: Int) { (self.endings, self.unfinished) = (endings, unfinished) }
}
