public import FilmgateCore

/// Nikon's maker note: since 2002 a TIFF structure of its own behind ten bytes, before that a directory in the one
/// around it.
///
/// Serial number and shutter count stand in clear; what is encrypted with them is not read.
public struct NikonNotes: MakerNoteReader {
    private static let serial = 0x001D, mechanicalCount = 0x0037, lens = 0x0084, oldSerial = 0x00A0
    private static let shutterCount = 0x00A7

    public init() {}

    public func reads(make: String) -> Bool { make.lowercased().hasPrefix("nikon") }

    public func facts(in note: MakerNote, model: String) -> MediaFacts {
        var facts = MediaFacts()
        guard let tags = directory(note) else { return facts }
        facts.serial = (tags.text(Self.serial) ?? tags.text(Self.oldSerial)).map { text in
            text.lowercased().hasPrefix("no= ") ? String(text.dropFirst(4)) : text
        }
        facts.shutterCount = count(tags, Self.shutterCount) ?? count(tags, Self.mechanicalCount)
        facts.lensModel = lens(tags)
        return facts
    }

    private func directory(_ note: MakerNote) -> MakerDirectory? {
        if note.begins(with: "Nikon\0\u{1}") { return MakerDirectory(note, at: 8, base: note.outside) }
        guard note.begins(with: "Nikon\0\u{2}") else { return MakerDirectory(note, at: 0, base: note.outside) }
        let isLittle = note.bytes(10, 1) == [UInt8(ascii: "I")]
        guard let first = note.number(14, 4, isLittleEndian: isLittle) else { return nil }
        return MakerDirectory(note, at: 10 + first, base: 10, isLittleEndian: isLittle)
    }

    /// Bodies that do not count write a number near the largest.
    private func count(_ tags: MakerDirectory, _ tag: Int) -> Int? {
        tags.number(tag).flatMap { $0 > 0 && $0 < 0x7FFF_FFFF ? $0 : nil }
    }

    /// Shortest and longest focal length, and the widest aperture at each: `24-120mm f/3.5-5.6`.
    private func lens(_ tags: MakerDirectory) -> String? {
        let values = (0..<4).compactMap { tags.fraction(Self.lens, $0) }
        guard values.count == 4, values[0] > 0, values[2] > 0, values.allSatisfy({ $0.isFinite && $0 < 10_000 }) else {
            return nil
        }
        func range(_ low: Double, _ high: Double) -> String {
            low == high || high == 0 ? short(low) : "\(short(low))-\(short(high))"
        }
        return "\(range(values[0], values[1]))mm f/\(range(values[2], values[3]))"
    }

    private func short(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
