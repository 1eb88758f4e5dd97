import CameraTesting
import FilmgateCore
import OlympusCamera
import Testing

@Suite struct OlympusNotesTests {
    private static let equipment: [(tag: Int, value: NoteBuilder.Value)] = [
        (0x0101, .text("BHLB61153                      ")), (0x0202, .text("ABQ208318")),
        (0x0203, .text("OLYMPUS M.12-40mm F2.8")),
    ]

    @Test(arguments: ["OLYMPUS\0II\u{3}\0", "OM SYSTEM\0\0\0II\u{4}\0", "OLYMP\0\u{1}\0"]) func saysWhatTheNoteSays(
        _ head: String
    ) {
        let note = NoteBuilder(head: head).build([(0x2010, .folder(Self.equipment))])
        let facts = OlympusNotes().facts(in: MakerNote(note), model: "E-M1MarkII")
        #expect(
            facts.serial == "BHLB61153" && facts.lensSerial == "ABQ208318"
                && facts.lensModel == "OLYMPUS M.12-40mm F2.8")
    }

    @Test func theOldestSayItThemselves() {
        let note = NoteBuilder(head: "OLYMP\0\u{1}\0").build([(0x0404, .text("203001592"))])
        #expect(OlympusNotes().facts(in: MakerNote(note), model: "E-20").serial == "203001592")
    }

    @Test func survivesDamage() {
        let note = NoteBuilder(head: "OLYMPUS\0II\u{3}\0").build([(0x2010, .folder(Self.equipment))])
        #expect(NoteBuilder.torment(OlympusNotes(), note) == 0)
    }
}
