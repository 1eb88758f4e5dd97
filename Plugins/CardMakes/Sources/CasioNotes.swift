public import FilmgateCore

/// Casio's maker notes: a directory as it is, or behind `QVC` with other tags.
public struct CasioNotes: MakerNoteReader {
    private static let speed = 0x0014, laterSpeed = 0x3014
    /// In the later form the tag that both have holds a number for the speed.
    private static let coded = [3: 50, 4: 64, 6: 100, 9: 200]

    public init() {}

    public func reads(make: String) -> Bool { make.lowercased().hasPrefix("casio") }

    public func facts(in note: MakerNote, model: String) -> MediaFacts {
        var facts = MediaFacts()
        let isLater = note.begins(with: "QVC\0")
        guard let tags = MakerDirectory(note, at: isLater ? 6 : 0, base: note.outside) else { return facts }
        let speed = tags.number(Self.speed)
        let iso = isLater ? tags.number(Self.laterSpeed) ?? speed.flatMap { Self.coded[$0] } : speed
        facts.iso = iso.flatMap { (10...102_400).contains($0) ? $0 : nil }
        return facts
    }
}
