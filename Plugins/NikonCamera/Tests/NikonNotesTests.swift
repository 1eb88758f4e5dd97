import CameraTesting
import FilmgateCore
import NikonCamera
import Testing

@Suite struct NikonNotesTests {
    private func note(isLittleEndian: Bool) -> [UInt8] {
        var builder = NoteBuilder(head: "Nikon\0\u{2}\u{10}\0\0", base: 10, isLittleEndian: isLittleEndian)
        builder.head += Array((isLittleEndian ? "II" : "MM").utf8) + builder.number(42, 2) + builder.number(8, 4)
        return builder.build([
            (0x001D, .text("6021615 ")), (0x0084, .fraction([(240, 10), (120, 1), (35, 10), (56, 10)])),
            (0x00A7, .long([48_213])),
        ])
    }

    @Test(arguments: [true, false]) func saysWhatTheNoteSays(_ isLittleEndian: Bool) {
        // The order of the file around it is of no consequence.
        let facts = NikonNotes().facts(
            in: MakerNote(note(isLittleEndian: isLittleEndian), isLittleEndian: true), model: "NIKON D300")
        #expect(facts.serial == "6021615" && facts.shutterCount == 48_213 && facts.lensModel == "24-120mm f/3.5-5.6")
    }

    @Test func bodiesThatDoNotCountSayNothing() {
        let note = NoteBuilder(head: "", isLittleEndian: true).build([
            (0x00A7, .long([4_294_965_247])), (0x00A0, .text("NO= 000030d4")),
        ])
        let facts = NikonNotes().facts(in: MakerNote(note), model: "NIKON D1")
        #expect(facts.shutterCount == nil && facts.serial == "000030d4")
    }

    @Test func aFixedLensIsOneNumber() {
        let note = NoteBuilder().build([(0x0084, .fraction([(50, 1), (50, 1), (18, 10), (18, 10)]))])
        #expect(NikonNotes().facts(in: MakerNote(note), model: "").lensModel == "50mm f/1.8")
    }

    @Test func survivesDamage() {
        #expect(NoteBuilder.torment(NikonNotes(), note(isLittleEndian: true)) == 0)
        #expect(NoteBuilder.torment(NikonNotes(), note(isLittleEndian: false)) == 0)
    }
}
