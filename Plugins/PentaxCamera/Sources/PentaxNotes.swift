public import FilmgateCore

/// The maker note of Pentax and Ricoh bodies.
///
/// The shutter's count is hidden behind the frame's date and time.
public struct PentaxNotes: MakerNoteReader {
    private static let date = 0x0006, time = 0x0007, shutterCount = 0x005D, cameraInfo = 0x0215, serial = 0x0229

    public init() {}

    /// Clips name no make.
    public func reads(make: String) -> Bool { make.isEmpty || ["pentax", "ricoh", "asahi"].contains { make.lowercased().hasPrefix($0) } }

    public func facts(in note: MakerNote, model: String) -> MediaFacts {
        var facts = MediaFacts()
        guard let tags = directory(note) else { return facts }
        facts.serial = tags.text(Self.serial)
        // For want of it, a number of the body's own.
        if facts.serial == nil, let number = tags.number(Self.cameraInfo, 4), number > 0 { facts.serial = String(number) }
        facts.shutterCount = shutterCount(tags)
        return facts
    }

    private func directory(_ note: MakerNote) -> MakerDirectory? {
        if note.begins(with: "PENTAX \0") { return MakerDirectory(note, at: 10, base: 0) }
        if note.begins(with: "RICOH\0II") || note.begins(with: "RICOH\0MM") { return MakerDirectory(note, at: 8, base: 0) }
        return note.begins(with: "AOC\0") ? MakerDirectory(note, at: 6, base: note.outside) : nil
    }

    private func shutterCount(_ tags: MakerDirectory) -> Int? {
        guard let hidden = tags.bytes(Self.shutterCount), hidden.count == 4, let date = tags.bytes(Self.date), date.count == 4,
            let time = tags.bytes(Self.time), time.count >= 3
        else { return nil }
        let clock = Array(time.prefix(3)) + [0]
        let count = (0..<4).reduce(0) { $0 << 8 | Int(hidden[$1] ^ date[$1] ^ ~clock[$1]) }
        // Beyond what any shutter lives to, the key was another.
        return (1...10_000_000).contains(count) ? count : nil
    }
}
