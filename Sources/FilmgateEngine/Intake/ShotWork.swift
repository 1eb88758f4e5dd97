import FilmgateCore

/// One shot on its way from a source to the line.
struct ShotWork: Sendable {
    struct Member: Sendable {
        var entry: SourceEntry
        /// What the ledger remembers of exactly this file, if anything.
        var known: KnownFile?
        /// Already settled from the listing alone (known, filtered, unreadable): not read.
        var settled: Bool
    }
    /// Position in card order; names are given out in this order.
    var index: Int
    var members: [Member]

    /// Bytes that will have to be staged.
    var bytesToRead: UInt64 { members.reduce(0) { $1.settled ? $0 : $0 + $1.entry.origin.size } }
    var key: String { members[0].entry.shot.key }
    /// Nothing but sidecars and memos: the picture that they belong to came before, or is yet to come.
    var followsOnly: Bool { members.allSatisfy { $0.entry.kind.follows } }
}
