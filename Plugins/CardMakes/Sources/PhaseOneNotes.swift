public import FilmgateCore

/// The maker note of Phase One and Leaf backs: a directory of its own shape, sixteen bytes an entry, offsets from the
/// note's beginning.
public struct PhaseOneNotes: MakerNoteReader {
    private static let serial = 0x0102, entryLimit = 500

    public init() {}

    public func reads(make: String) -> Bool { ["phase one", "leaf"].contains { make.lowercased().hasPrefix($0) } }

    public func facts(in note: MakerNote, model: String) -> MediaFacts {
        var facts = MediaFacts()
        guard note.begins(with: "IIII") || note.begins(with: "MMMM") else { return facts }
        let isLittle = note.begins(with: "II")
        func number(_ offset: Int) -> Int? { note.number(offset, 4, isLittleEndian: isLittle) }
        guard let place = number(8), let count = number(place), (1...Self.entryLimit).contains(count) else {
            return facts
        }
        for index in 0..<count {
            let entry = place + 8 + 16 * index
            guard let tag = number(entry) else { break }
            guard tag == Self.serial, let length = number(entry + 8), (1...64).contains(length),
                let far = number(entry + 12)
            else {
                continue
            }
            facts.serial = note.bytes(length <= 4 ? entry + 12 : far, length).flatMap(MakerDirectory.text)
            break
        }
        return facts
    }
}
