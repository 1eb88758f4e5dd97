import FilmgateCore

/// What makes it the same file in the ledger: the key of its row.
public struct FrameKey: Sendable, Hashable {
    var volume: Int64, path: String, size: UInt64, modified: Int64, born: Int64, inode: UInt64, changed: Int64

    init(volume: Int64, path: String, size: UInt64, modified: Int64, born: Int64, inode: UInt64, changed: Int64) {
        (self.volume, self.path, self.size, self.modified) = (volume, path, size, modified)
        (self.born, self.inode, self.changed) = (born, inode, changed)
    }

    /// `volume`: its number in the ledger.
    init(_ origin: Origin, volume: Int64) {
        self.init(
            volume: volume, path: origin.volumePath, size: origin.size, modified: origin.modified, born: origin.born,
            inode: origin.inode, changed: origin.changed)
    }

    /// A number for this file that stays the same; who does not know the key cannot tell it, nor make two files that
    /// share one.
    func number(_ key: SipKey) -> UInt64 {
        var hash = SipHash(key)
        hash.add(UInt64(bitPattern: volume))
        hash.add(size)
        hash.add(UInt64(bitPattern: modified))
        hash.add(UInt64(bitPattern: born))
        hash.add(inode)
        hash.add(UInt64(bitPattern: changed))
        hash.add(path)
        return hash.finish()
    }

    /// A number for its shot; for one without a name, of the file alone.
    func number(ofShot shot: String, _ key: SipKey) -> UInt64 {
        if shot.isEmpty { return number(key) }
        var hash = SipHash(key)
        hash.add(UInt64(bitPattern: volume))
        hash.add(shot)
        return hash.finish()
    }
}

/// A file as the ledger has it now, as far as lists need it.
struct FrameRow: Sendable {
    var number: UInt64, volume: Int64, path: String, size: UInt64
    var place: Int64, run: Int64, content: Int64?, kind: MediaKind, ending: Ending?, event: String?, since: Int64
    var at: Int64
    /// A keyed hash of its volume and shot.
    var shot: UInt64
    /// Nil also where it was not asked for.
    var body: Int64?, verdict: FrameVerdict?, captured: String?
}

/// What the ledger has of some files.
public struct FrameRows: Sendable {
    var rows: [FrameRow] = []
    /// Where they came from, by the number that the ledger has for it.
    var places: [Int64: KnownPlace] = [:]
    /// Files that the ledger does not list, or no longer.
    var missing: [UInt64] = []

    /// Of those files that have one of these contents.
    public func numbers(ofContents contents: Set<Int64>) -> Set<UInt64> {
        Set(rows.filter { row in row.content.map { contents.contains($0) } ?? false }.map(\.number))
    }
}
