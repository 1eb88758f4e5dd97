public import FilmgateCore

/// The maker note of Olympus and OM System bodies: the equipment's numbers stand in a directory within it.
///
/// Newer notes count offsets from their own beginning, older ones from that of the structure around them.
public struct OlympusNotes: MakerNoteReader {
    private static let oldSerials = [0x0404, 0x101A], equipment = 0x2010
    private static let serial = 0x0101, internalSerial = 0x0102, lensSerial = 0x0202, lens = 0x0203

    public init() {}

    public func reads(make: String) -> Bool { ["olympus", "om digital"].contains { make.lowercased().hasPrefix($0) } }

    public func facts(in note: MakerNote, model: String) -> MediaFacts {
        var facts = MediaFacts()
        guard let (tags, base) = directory(note) else { return facts }
        if let inner = equipment(tags, note, base) {
            facts.serial = inner.text(Self.serial) ?? inner.text(Self.internalSerial)
            facts.lensModel = inner.text(Self.lens)
            facts.lensSerial = inner.text(Self.lensSerial)
        }
        facts.serial = facts.serial ?? Self.oldSerials.lazy.compactMap { tags.text($0) }.first
        return facts
    }

    private func directory(_ note: MakerNote) -> (MakerDirectory, base: Int)? {
        if note.begins(with: "OLYMP\0") {
            return MakerDirectory(note, at: 8, base: note.outside).map { ($0, note.outside) }
        }
        let size = note.begins(with: "OM SYSTEM\0") ? 16 : note.begins(with: "OLYMPUS\0") ? 12 : 0
        guard size > 0 else { return nil }
        let isLittle = note.bytes(size - 4, 1) == [UInt8(ascii: "I")]
        return MakerDirectory(note, at: size, base: 0, isLittleEndian: isLittle).map { ($0, 0) }
    }

    /// Old bodies write it as a value, newer ones point to it.
    private func equipment(_ tags: MakerDirectory, _ note: MakerNote, _ base: Int) -> MakerDirectory? {
        guard let entry = tags.entry(Self.equipment) else { return nil }
        let place = entry.length > 4 ? entry.start : tags.number(Self.equipment).map { base + $0 }
        return place.flatMap { MakerDirectory(note, at: $0, base: base, isLittleEndian: tags.isLittleEndian) }
    }
}
