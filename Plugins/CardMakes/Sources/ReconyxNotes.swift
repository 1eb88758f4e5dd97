public import FilmgateCore

/// The maker notes of Reconyx's wildlife cameras: fixed places, text of two bytes a letter.
public struct ReconyxNotes: MakerNoteReader {
    public init() {}

    /// The older ones name no make at all.
    public func reads(make: String) -> Bool { make.isEmpty || make.lowercased().hasPrefix("reconyx") }

    public func facts(in note: MakerNote, model: String) -> MediaFacts {
        var facts = MediaFacts()
        if note.begins(with: "RECONYXH2\0") {
            facts.serial = text(note, 0x7E)
        } else if note.begins(with: "RECONYXUF\0") {
            facts.serial = note.bytes(0x4B, 15).flatMap(MakerDirectory.text)
        } else if note.bytes(0, 2) == [0x01, 0xF1] {
            facts.serial = text(note, 0x2A)
        }
        return facts
    }

    private func text(_ note: MakerNote, _ offset: Int) -> String? {
        guard let bytes = note.bytes(offset, 30) else { return nil }
        var letters: [UInt8] = []
        for index in stride(from: 0, to: 30, by: 2) where bytes[index] != 0 || bytes[index + 1] != 0 {
            guard bytes[index + 1] == 0 else { return nil }
            letters.append(bytes[index])
        }
        return MakerDirectory.text(letters)
    }
}
