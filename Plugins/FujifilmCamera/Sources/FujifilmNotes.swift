public import FilmgateCore

/// Fujifilm's maker note: always little-endian, its offsets count from its own beginning.
public struct FujifilmNotes: MakerNoteReader {
    private static let internalSerial = 0x0010, rating = 0x1431, imageCount = 0x1438

    public init() {}

    public func reads(make: String) -> Bool { make.lowercased().hasPrefix("fuji") }

    public func facts(in note: MakerNote, model: String) -> MediaFacts {
        var facts = MediaFacts()
        guard note.begins(with: "FUJIFILM"), let first = note.number(8, 4, isLittleEndian: true),
            let tags = MakerDirectory(note, at: first, base: 0, isLittleEndian: true)
        else { return facts }
        facts.serial = tags.text(Self.internalSerial)
        facts.rating = tags.number(Self.rating).flatMap { (1...5).contains($0) ? $0 : nil }
        // The highest bit is no part of the count.
        facts.shutterCount = tags.number(Self.imageCount).map { $0 & 0x7FFF }.flatMap { $0 > 0 ? $0 : nil }
        return facts
    }
}
