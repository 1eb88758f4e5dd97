public import FilmgateCore

/// Sigma's maker note: a directory behind ten bytes, whose offsets count from the beginning of the structure around it.
public struct SigmaNotes: MakerNoteReader {
    private static let serial = 0x0002

    public init() {}

    public func reads(make: String) -> Bool { ["sigma", "foveon"].contains { make.lowercased().hasPrefix($0) } }

    public func facts(in note: MakerNote, model: String) -> MediaFacts {
        var facts = MediaFacts()
        guard note.begins(with: "SIGMA") || note.begins(with: "FOVEON") else { return facts }
        facts.serial = MakerDirectory(note, at: 10, base: note.outside)?.text(Self.serial)
        return facts
    }
}
