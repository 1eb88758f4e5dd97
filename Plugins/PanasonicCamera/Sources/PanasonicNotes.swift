public import FilmgateCore

/// Panasonic's maker note: a directory behind twelve bytes, whose offsets count from the beginning of the structure
/// around it.
public struct PanasonicNotes: MakerNoteReader {
    private static let internalSerial = 0x0025, lens = 0x0051, lensSerial = 0x0052

    public let clipMakes = [0x0103: "Panasonic"]

    public init() {}

    public func reads(make: String) -> Bool { make.lowercased().hasPrefix("panasonic") }

    public func facts(in note: MakerNote, model: String) -> MediaFacts {
        var facts = MediaFacts()
        guard note.begins(with: "Panasonic"), let tags = MakerDirectory(note, at: 12, base: note.outside) else {
            return facts
        }
        facts.serial = tags.text(Self.internalSerial)
        facts.lensModel = tags.text(Self.lens).flatMap(Self.known)
        facts.lensSerial = tags.text(Self.lensSerial).flatMap(Self.known)
        return facts
    }

    /// What stands there when no lens says who it is.
    private static func known(_ text: String) -> String? {
        ["N/A", "NO-LENS"].contains(text.uppercased()) || text.allSatisfy { $0 == "0" } ? nil : text
    }
}
