import FilmgateCore

/// One file of a `FrameIndex` in 64 bytes; what many files share is a number there.
struct FrameSlot: Sendable, Equatable {
    var number: UInt64, since: Int64, at: Int64, size: UInt64
    /// Where its name begins.
    var name: Int
    /// 0 for none.
    ///
    /// Nobody has four billion of them; what is behind that is not found by its content.
    var content: UInt32
    var run: Int32, folder: Int32, place: Int32
    /// -1 for none.
    var event: Int32
    private var kindCode: UInt8, endingCode: UInt8
    /// Its name has more than ASCII in it.
    var isWide: Bool

    init(_ row: FrameRow, name: Int, folder: Int32, event: Int32, isWide: Bool) {
        (number, since, at, size) = (row.number, row.since, row.at, row.size)
        (self.name, self.folder, self.event, self.isWide) = (name, folder, event, isWide)
        content = UInt32(clamping: row.content ?? 0)
        (run, place) = (Int32(clamping: row.run), Int32(clamping: row.place))
        (kindCode, endingCode) = (Self.code(row.kind), Self.code(row.ending))
    }

    var kind: MediaKind { Self.kinds[Int(kindCode)] }
    /// Nil while it is on its way.
    var ending: Ending? { endingCode == Self.none ? nil : Self.endings[Int(endingCode)] }
    /// One bit of those in a `FrameCondition`.
    var kindBit: UInt16 { 1 << UInt16(kindCode) }
    var endingBit: UInt16 { 1 << UInt16(endingCode) }

    /// In all that does not depend on the index that it is in.
    func isSame(as other: FrameSlot) -> Bool {
        number == other.number && since == other.since && at == other.at && content == other.content && run == other.run
            && place == other.place && kindCode == other.kindCode && endingCode == other.endingCode
    }

    private static let kinds = MediaKind.allCases, endings = Ending.allCases
    private static let none: UInt8 = 15
    private static func code(_ kind: MediaKind) -> UInt8 { UInt8(kinds.firstIndex(of: kind) ?? kinds.count - 1) }
    private static func code(_ ending: Ending?) -> UInt8 {
        ending.flatMap { endings.firstIndex(of: $0) }.map { UInt8($0) } ?? none
    }

    static func bits(_ kinds: Set<MediaKind>) -> UInt16 { kinds.reduce(0) { $0 | 1 << UInt16(code($1)) } }
    static func bits(_ endings: Set<Ending>, unfinished: Bool) -> UInt16 {
        endings.reduce(unfinished ? 1 << UInt16(none) : 0) { $0 | 1 << UInt16(code($1)) }
    }
}

/// A filter as slots are compared with it; all but its text, and what is asked of a file's bytes.
struct FrameCondition: Sendable {
    private var endings = UInt16.max, kinds = UInt16.max, run: Int32?, event: Int32?, from: Int64, to: Int64

    /// `event`: the number that the index has for a name, nil for one that it has not met.
    init(_ filter: FrameFilter, event: (String) -> Int32?) {
        if filter.endings != nil || filter.isUnfinished {
            endings = FrameSlot.bits(filter.endings ?? [], unfinished: filter.isUnfinished)
        }
        if let wanted = filter.kinds { kinds = FrameSlot.bits(wanted) }
        run = filter.run.map { Int32(clamping: $0) }
        (from, to) = (filter.from ?? .min, filter.to ?? .max)
        // No file has the number -2.
        self.event = filter.isWithoutEvent ? -1 : filter.event.map { event($0) ?? -2 }
    }

    func fits(_ slot: FrameSlot) -> Bool {
        slot.endingBit & endings != 0 && slot.kindBit & kinds != 0 && (run == nil || slot.run == run)
            && (event == nil || slot.event == event) && slot.since >= from && slot.since <= to
    }
}
