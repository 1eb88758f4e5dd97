public import FilmgateCore

/// The maker notes of Leica's own bodies, whose heads tell their layouts apart.
public struct LeicaNotes: MakerNoteReader {
    private static let oldSerial = 0x0303, serial = 0x0305, internalSerial = 0x0500
    /// The byte behind `LEICA` and a NUL, for layouts whose offsets count from the note's own beginning.
    private static let own: [UInt8] = [0x01, 0x04, 0x05, 0x06, 0x07, 0x10, 0x1A]
    /// The same for those that count from the beginning of the structure around it.
    private static let outside: [UInt8] = [0x08, 0x09]

    public init() {}

    public func reads(make: String) -> Bool { make.lowercased().hasPrefix("leica") }

    public func facts(in note: MakerNote, model: String) -> MediaFacts {
        var facts = MediaFacts()
        guard note.begins(with: "LEICA\0"), let layout = note.bytes(6, 2) else { return facts }
        if layout[1] == 0, Self.own.contains(layout[0]) || Self.outside.contains(layout[0]) {
            let base = Self.own.contains(layout[0]) ? 0 : note.outside
            guard let tags = MakerDirectory(note, at: 8, base: base) else { return facts }
            facts.serial =
                tags.number(Self.serial).flatMap { $0 > 0 ? String($0) : nil } ?? tags.text(Self.internalSerial)
        } else if layout == [0, 0], let tags = MakerDirectory(note, at: 8, base: 8),
            let number = tags.number(Self.oldSerial), number > 0
        {
            let digits = String(number)
            facts.serial = String(repeating: "0", count: max(0, 7 - digits.count)) + digits
        }
        return facts
    }
}
