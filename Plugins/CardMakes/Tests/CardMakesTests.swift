import CameraTesting
import CardMakes
import FilmgateCore
import Testing

@Suite struct CardMakesTests {
    /// AVCHD clips bear the make as this number.
    @Test func clipsBearTheNumberOfTheMake() { #expect(JVCClips().clipMakes == [0x1104: "JVC"]) }

    private static func phaseOne() -> [UInt8] {
        let builder = NoteBuilder()
        var note = Array("IIIITwaR".utf8)
        for number in [12, 1, 0, 0x0102, 1, 9, 36] { note += builder.number(number, 4) }
        return note + Array("LD001055\0".utf8)
    }

    private static func reconyx(_ head: String, at place: Int) -> [UInt8] {
        var note = Array(head.utf8) + [UInt8](repeating: 0, count: 200)
        for (index, letter) in "HLPXEL09018779".utf8.enumerated() { note[place + 2 * index] = letter }
        return note
    }

    static let notes: [(reader: any MakerNoteReader, note: [UInt8], serial: String)] = [
        (SigmaNotes(), NoteBuilder(head: "SIGMA\0\0\0\u{1}\0").build([(0x0002, .text("02000019"))]), "02000019"),
        (PhaseOneNotes(), phaseOne(), "LD001055"),
        (ReconyxNotes(), reconyx("RECONYXH2\0", at: 0x7E), "HLPXEL09018779"),
        (MotorolaNotes(), NoteBuilder(head: "MOT\0\u{1}\0\0\0").build([(0x5501, .text("NX0A3S0075"))]), "NX0A3S0075"),
    ]

    @Test(arguments: 0..<4) func saysTheSerial(_ index: Int) {
        let (reader, note, serial) = Self.notes[index]
        #expect(reader.facts(in: MakerNote(note), model: "").serial == serial)
    }

    @Test(arguments: 0..<4) func survivesDamage(_ index: Int) {
        let (reader, note, _) = Self.notes[index]
        #expect(torment(reader, note) == 0)
    }

    private static func kodak(_ head: String, at place: Int, isLittle: Bool) -> [UInt8] {
        var note = Array(head.utf8) + [UInt8](repeating: 0, count: 128)
        (note[place], note[place + 1]) = isLittle ? (140, 0) : (0, 140)
        return note
    }

    static let speeds: [(reader: any MakerNoteReader, note: [UInt8], iso: Int)] = [
        (KodakNotes(), kodak("KDK INFO", at: 0x68, isLittle: false), 140),
        (KodakNotes(), kodak("KDK0100", at: 0x68, isLittle: true), 140),
        (KodakNotes(), kodak("IIII", at: 0x34, isLittle: true), 140),
        (CasioNotes(), NoteBuilder().build([(0x0014, .short([125]))]), 125),
        (CasioNotes(), NoteBuilder(head: "QVC\0\0\0").build([(0x0014, .short([6]))]), 100),
        (CasioNotes(), NoteBuilder(head: "QVC\0\0\0").build([(0x0014, .short([6])), (0x3014, .short([64]))]), 64),
    ]

    @Test(arguments: 0..<6) func saysTheSpeed(_ index: Int) {
        let (reader, note, iso) = Self.speeds[index]
        #expect(reader.facts(in: MakerNote(note), model: "").iso == iso)
        #expect(torment(reader, note) == 0)
    }

    /// The list of settings is in the order of large machines, whatever surrounds it.
    @Test func exposuresInEighths() {
        let steps = [Int](repeating: 0, count: 8) + [48, 104, 40] + [Int](repeating: 0, count: 20)
        let list = steps.flatMap { NoteBuilder(isLittleEndian: false).number($0, 4) }
        let note = NoteBuilder().build([(0x0003, .bytes(list))])
        let facts = MinoltaNotes().facts(in: MakerNote(note), model: "DiMAGE 7")
        #expect(facts.iso == 100 && facts.exposureTime == Rational(1, 128) && facts.fNumber == Rational(40, 10))
        #expect(MinoltaNotes().facts(in: MakerNote(note), model: "DiMAGE X31").isEmpty)
        #expect(torment(MinoltaNotes(), note) == 0)
    }

    private func torment(_ reader: some MakerNoteReader, _ note: [UInt8]) -> Int { NoteBuilder.torment(reader, note) }
}
