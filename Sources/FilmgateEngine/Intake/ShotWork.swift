import FilmgateCore

/// One shot on its way from a source to the line.
///
/// It shares the listing's entries, and its members are made when they are looked at.
struct ShotWork: Sendable {
    struct Member: Sendable {
        var entry: SourceEntry
        /// What the ledger remembers of exactly this file, if anything.
        var known: KnownFile?
        /// Already settled from the listing alone (known, filtered, unreadable): not read.
        var settled: Bool
        /// Settled because it was taken before, by today's rules too: what it says of its shot still counts.
        var speaks = false
    }
    /// Position in card order; names are given out in this order.
    var index = 0
    private let entries: ArraySlice<SourceEntry>
    /// By position among the entries; most files are new.
    private let known: [Int: KnownFile]
    private var settled: Set<Int>
    private let speaking: Set<Int>
    /// Other files of the shot that have been read, and what they say.
    private(set) var beside: [Asset] = []
    /// Bytes that will have to be staged.
    let bytesToRead: UInt64

    init(entries: ArraySlice<SourceEntry>, known: [Int: KnownFile], settled: Set<Int>, speaking: Set<Int> = []) {
        (self.entries, self.known, self.settled, self.speaking) = (entries, known, settled, speaking)
        bytesToRead = entries.indices.reduce(0) {
            settled.contains($1) ? $0 : $0.addingClamped(entries[$1].origin.size)
        }
    }

    /// Frames that are judged once more, because of what has come since.
    init(_ frames: [SourceEntry], beside: [Asset]) {
        self.init(entries: frames[...], known: [:], settled: [])
        self.beside = beside.map { asset in
            var asset = asset
            // The file goes where it goes; what it says is known.
            asset.file = nil
            return asset
        }
    }

    var members: [Member] {
        entries.indices.map {
            Member(entry: entries[$0], known: known[$0], settled: settled.contains($0), speaks: speaking.contains($0))
        }
    }

    /// The same with those settled: they are nobody's to read, or to tell of, any more.
    func without(_ assets: Set<AssetID>) -> ShotWork {
        guard !assets.isEmpty else { return self }
        var work = self
        for index in entries.indices where assets.contains(entries[index].origin.id) { work.settled.insert(index) }
        return work
    }

    var key: String { entries[entries.startIndex].shot.key }
    /// Nothing but sidecars and memos: the picture that they belong to came before, or is yet to come.
    var followsOnly: Bool { entries.allSatisfy(\.kind.follows) }
}
