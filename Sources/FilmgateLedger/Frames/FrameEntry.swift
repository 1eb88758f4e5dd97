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
    /// The file that stands for its shot in a list by shots; nil for one that does so itself.
    public let lead: UInt64?
}

/// Which files are listed.
public struct FrameFilter: Sendable, Hashable {
    /// Nil: all of them.
    public var endings: Set<Ending>?, kinds: Set<MediaKind>?, run: Int64?, event: String?
    /// Instead of `event`: only files without one.
    public var isWithoutEvent = false
    /// Nil: of any age; else those that were first recorded then or in between, in nanoseconds since 1970.
    public var from: Int64?, to: Int64?
    /// With `endings`, or alone: files that have none yet.
    public var isUnfinished = false
    /// As many stars or more, by a person's word or the camera's; nil: any.
    public var stars: Int?
    public var picks: Set<PictureMark.Pick>?
    /// What the ledger is asked for: a body, and deliveries to a target of that name, in these states.
    public var camera: String?, target: String?, states: Set<Receipt.State>?
    /// Part of a name, beginning of a SHA-256, or a body's serial number; "" finds all.
    public var text = ""
    /// One file of each shot: of those that fit, the one that stands for the others.
    public var isByShot = false
    public init() {}

    /// That part of it which files answer by themselves, and which changes with them alone.
    var ofFiles: FrameFilter {
        var part = self
        (part.stars, part.picks, part.camera, part.target, part.states, part.text) = (nil, nil, nil, nil, nil, "")
        return part
    }
}

/// A file in the order of a list: it, and whatever is older.
public struct FrameBound: Sendable, Hashable {
    /// Nanoseconds since 1970, and its number.
    public var since: Int64, number: UInt64
    public init(since: Int64, number: UInt64) { (self.since, self.number) = (since, number) }
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
