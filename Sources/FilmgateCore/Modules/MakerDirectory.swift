/// A directory of tags within a maker note: entries of twelve bytes, as in TIFF.
public struct MakerDirectory {
    /// A tag's value: its TIFF format, and where its bytes stand in the note.
    public struct Entry: Sendable, Hashable {
        public let format: Int, count: Int
        /// From the note's beginning.
        public let start: Int, length: Int
    }
    private static let entryLimit = 1024, valueLimit = 65_536
    /// Bytes of one item, by format.
    private static let sizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]

    private let note: MakerNote, isLittle: Bool
    private var entries: [Int: Entry] = [:]

    /// Nil when no directory is there.
    /// - Parameters: - offset: of the directory, from the note's beginning. - base: what the entries' offsets count
    ///   from, from the note's beginning too: `-note.start` where that is the structure around it. - isLittleEndian:
    ///   nil where the make leaves it open: the structure's own, or the other where only that makes sense.
    public init?(_ note: MakerNote, at offset: Int, base: Int, isLittleEndian: Bool? = nil) {
        let own = note.isLittleEndian
        self.note = note
        isLittle =
            isLittleEndian ?? (Self.makesSense(note, offset, own) || !Self.makesSense(note, offset, !own) ? own : !own)
        guard let count = note.number(offset, 2, isLittleEndian: isLittle), count > 0, count <= Self.entryLimit else {
            return nil
        }
        // Some bodies write fewer entries than they say.
        for index in 0..<count {
            let place = offset + 2 + 12 * index
            guard let raw = note.bytes(place, 12) else { break }
            let (tag, format, amount, far) = (
                number(raw[0..<2]), number(raw[2..<4]), number(raw[4..<8]), number(raw[8..<12])
            )
            guard Self.sizes.indices.contains(format), Self.sizes[format] > 0, amount <= 1 << 24, entries[tag] == nil
            else { continue }
            let length = amount * Self.sizes[format]
            entries[tag] = Entry(
                format: format, count: amount, start: length <= 4 ? place + 8 : base + far, length: length)
        }
        if entries.isEmpty { return nil }
    }

    private static func makesSense(_ note: MakerNote, _ offset: Int, _ isLittle: Bool) -> Bool {
        guard let count = note.number(offset, 2, isLittleEndian: isLittle),
            let format = note.number(offset + 4, 2, isLittleEndian: isLittle)
        else { return false }
        return (1...255).contains(count) && (1...13).contains(format)
    }

    private func number(_ bytes: some BidirectionalCollection<UInt8>) -> Int {
        isLittle ? bytes.reversed().reduce(0) { $0 << 8 | Int($1) } : bytes.reduce(0) { $0 << 8 | Int($1) }
    }

    public func entry(_ tag: Int) -> Entry? { entries[tag] }

    /// A value's bytes, up to 64 KiB; nil where they do not lie in the file.
    public func bytes(_ tag: Int) -> [UInt8]? {
        guard let entry = entries[tag], entry.length <= Self.valueLimit else { return nil }
        return note.bytes(entry.start, entry.length)
    }

    /// The `index`th whole number of one, two or four bytes; without a sign.
    public func number(_ tag: Int, _ index: Int = 0) -> Int? {
        guard let entry = entries[tag], index >= 0, index < entry.count,
            [1, 3, 4, 6, 7, 8, 9, 13].contains(entry.format)
        else {
            return nil
        }
        let size = Self.sizes[entry.format]
        return note.number(entry.start + index * size, size, isLittleEndian: isLittle)
    }

    /// The order that was found.
    public var isLittleEndian: Bool { isLittle }

    /// The `index`th fraction as a number; nil for whole numbers, and where the denominator is zero.
    public func fraction(_ tag: Int, _ index: Int = 0) -> Double? {
        guard let entry = entries[tag], index >= 0, index < entry.count, entry.format == 5,
            let top = note.number(entry.start + index * 8, 4, isLittleEndian: isLittle),
            let bottom = note.number(entry.start + index * 8 + 4, 4, isLittleEndian: isLittle), bottom > 0
        else { return nil }
        return Double(top) / Double(bottom)
    }

    /// Printable text up to its NUL, without spaces around it; nil where nothing is left.
    public func text(_ tag: Int) -> String? {
        guard let entry = entries[tag], [1, 2, 7].contains(entry.format), entry.length <= 1024, let bytes = bytes(tag)
        else { return nil }
        return Self.text(bytes)
    }

    /// The same for bytes from anywhere.
    public static func text(_ bytes: [UInt8]) -> String? {
        let part = bytes.prefix { $0 != 0 }
        guard part.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return nil }
        let text = part.drop { $0 == 0x20 }
        guard let end = text.lastIndex(where: { $0 != 0x20 }) else { return nil }
        return String(decoding: text[...end], as: UTF8.self)
    }
}
