public import FilmgateCore

/// The maker note of Pentax and Ricoh bodies.
///
/// The shutter's count is hidden behind the frame's date and time.
public struct PentaxNotes: MakerNoteReader {
    private static let date = 0x0006, time = 0x0007, speed = 0x0014, shutterCount = 0x005D, cameraInfo = 0x0215
    private static let serial = 0x0229

    public init() {}

    /// Clips name no make.
    public func reads(make: String) -> Bool {
        make.isEmpty || ["pentax", "ricoh", "asahi"].contains { make.lowercased().hasPrefix($0) }
    }

    public func facts(in note: MakerNote, model: String) -> MediaFacts {
        var facts = MediaFacts()
        guard let tags = directory(note) else { return facts }
        facts.serial = tags.text(Self.serial)
        // For want of it, a number of the body's own.
        if facts.serial == nil, let number = tags.number(Self.cameraInfo, 4), number > 0 {
            facts.serial = String(number)
        }
        facts.iso = tags.number(Self.speed).flatMap(Self.iso)
        facts.shutterCount = shutterCount(tags)
        return facts
    }

    /// A number for each third of a stop from 50 on, another for each half; the first compacts wrote the speed itself.
    private static func iso(_ number: Int) -> Int? {
        switch number {
        case 3..<3 + thirds.count: thirds[number - 3]
        case 258..<258 + halves.count: halves[number - 258]
        case 50, 100, 200, 400, 800, 1600, 3200: number
        default: nil
        }
    }

    private static let thirds = [
        50, 64, 80, 100, 125, 160, 200, 250, 320, 400, 500, 640, 800, 1000, 1250, 1600, 2000, 2500, 3200, 4000, 5000,
        6400, 8000, 10_000, 12_800, 16_000, 20_000, 25_600, 32_000, 40_000, 51_200, 64_000, 80_000, 102_400, 128_000,
        160_000, 204_800, 256_000, 320_000, 409_600, 512_000, 640_000, 819_200,
    ]
    private static let halves = [
        50, 70, 100, 140, 200, 280, 400, 560, 800, 1100, 1600, 2200, 3200, 4500, 6400, 9000, 12_800,
    ]

    private func directory(_ note: MakerNote) -> MakerDirectory? {
        if note.begins(with: "PENTAX \0") { return MakerDirectory(note, at: 10, base: 0) }
        if note.begins(with: "RICOH\0II") || note.begins(with: "RICOH\0MM") {
            return MakerDirectory(note, at: 8, base: 0)
        }
        return note.begins(with: "AOC\0") ? MakerDirectory(note, at: 6, base: note.outside) : nil
    }

    private func shutterCount(_ tags: MakerDirectory) -> Int? {
        guard let hidden = tags.bytes(Self.shutterCount), hidden.count == 4, let date = tags.bytes(Self.date),
            date.count == 4,
            let time = tags.bytes(Self.time), time.count >= 3
        else { return nil }
        let clock = Array(time.prefix(3)) + [0]
        let count = (0..<4).reduce(0) { $0 << 8 | Int(hidden[$1] ^ date[$1] ^ ~clock[$1]) }
        // Beyond what any shutter lives to, the key was another.
        return (1...10_000_000).contains(count) ? count : nil
    }
}
