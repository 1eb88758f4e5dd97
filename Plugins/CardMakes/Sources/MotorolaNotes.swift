public import FilmgateCore

/// Motorola's maker note: a directory behind eight bytes, offsets from the note's beginning.
public struct MotorolaNotes: MakerNoteReader {
    private static let serial = 0x5501

    public init() {}

    public func reads(make: String) -> Bool { make.lowercased().hasPrefix("motorola") }

    public func facts(in note: MakerNote, model: String) -> MediaFacts {
        var facts = MediaFacts()
        guard note.begins(with: "MOT\0") else { return facts }
        facts.serial = MakerDirectory(note, at: 8, base: 0)?.text(Self.serial)
        return facts
    }
}
