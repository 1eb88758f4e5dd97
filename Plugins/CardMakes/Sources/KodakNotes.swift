public import FilmgateCore

/// Kodak's older maker notes: fixed places.
public struct KodakNotes: MakerNoteReader {
    /// Where the speed stands behind a head of eight bytes, and in the notes that begin with `IIII`.
    private static let speed = 8 + 0x60, laterSpeed = 0x34

    public init() {}

    /// The later form is also that of cameras which were built for several makes.
    public func reads(make: String) -> Bool { make.lowercased().contains("kodak") }

    public func facts(in note: MakerNote, model: String) -> MediaFacts {
        var facts = MediaFacts()
        if note.begins(with: "KDK") {
            facts.iso = iso(note, Self.speed, isLittle: !note.begins(with: "KDK INFO"))
        } else if note.begins(with: "IIII") {
            facts.iso = iso(note, Self.laterSpeed, isLittle: true)
        }
        return facts
    }

    private func iso(_ note: MakerNote, _ offset: Int, isLittle: Bool) -> Int? {
        note.number(offset, 2, isLittleEndian: isLittle).flatMap { (10...12_800).contains($0) ? $0 : nil }
    }
}
