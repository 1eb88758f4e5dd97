public import FilmgateCore

/// One file in the list of all files: what sorts, filters and finds it, without what hangs on it.
public struct FrameEntry: Sendable, Hashable {
    /// Its key in the ledger.
    let volume: Int64, path: String, size: UInt64, modified: Int64, born: Int64, inode: UInt64, changed: Int64
    let place: Int64, content: Int64?, event: Int32
    public let run: Int64, kind: MediaKind
    /// Nil while it is on its way.
    public let ending: Ending?
    /// Nanoseconds since 1970: when it was first recorded, and last.
    public let since: Int64, at: Int64

    /// Of its bytes; nil where they were not read.
    public var contentNumber: Int64? { content }

    /// A number for this file that stays the same; who does not know the key cannot tell it, nor make two files that share one.
    public func number(_ key: SipKey) -> UInt64 {
        var hash = SipHash(key)
        for part in [
            UInt64(bitPattern: volume), size, UInt64(bitPattern: modified), UInt64(bitPattern: born), inode, UInt64(bitPattern: changed),
        ] {
            hash.add(part)
        }
        hash.add(path)
        return hash.finish()
    }
}

/// Which files are listed.
public struct FrameFilter: Sendable, Hashable {
    /// Nil: all of them.
    public var endings: Set<Ending>?, kinds: Set<MediaKind>?, run: Int64?, event: String?
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
