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
    }
    /// Position in card order; names are given out in this order.
    var index = 0
    private let entries: ArraySlice<SourceEntry>
    /// By position among the entries; most files are new.
    private let known: [Int: KnownFile]
    private let settled: Set<Int>
    /// Bytes that will have to be staged.
    let bytesToRead: UInt64

    init(entries: ArraySlice<SourceEntry>, known: [Int: KnownFile], settled: Set<Int>) {
        (self.entries, self.known, self.settled) = (entries, known, settled)
        bytesToRead = entries.indices.reduce(0) { settled.contains($1) ? $0 : $0 + entries[$1].origin.size }
    }

    var members: [Member] {
        entries.indices.map { Member(entry: entries[$0], known: known[$0], settled: settled.contains($0)) }
    }

    var key: String { entries[entries.startIndex].shot.key }
    /// Nothing but sidecars and memos: the picture that they belong to came before, or is yet to come.
    var followsOnly: Bool { entries.allSatisfy(\.kind.follows) }
}
