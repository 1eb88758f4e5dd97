import CameraTesting
import FilmgateCore
import PanasonicCamera
import Testing

@Suite struct PanasonicNotesTests {
    /// AVCHD clips bear the make as this number.
    @Test func clipsBearTheNumberOfTheMake() { #expect(PanasonicNotes().clipMakes == [0x0103: "Panasonic"]) }

    private let note = NoteBuilder(head: "Panasonic\0\0\0").build([
        (0x0025, .bytes(Array("XGB1102030123\0\0\0".utf8))), (0x0051, .text("LUMIX G VARIO 14-42/F3.5-5.6  ")),
        (0x0052, .text("10JG3135001   ")),
    ])

    @Test func saysWhatTheNoteSays() {
        let facts = PanasonicNotes().facts(in: MakerNote(note), model: "DC-GH6")
        #expect(
            facts.serial == "XGB1102030123" && facts.lensModel == "LUMIX G VARIO 14-42/F3.5-5.6"
                && facts.lensSerial == "10JG3135001")
    }

    @Test func noLensIsNoLens() {
        let note = NoteBuilder(head: "Panasonic\0\0\0").build([
            (0x0051, .text("NO-LENS")), (0x0052, .text("000000000")),
        ])
        #expect(PanasonicNotes().facts(in: MakerNote(note), model: "").isEmpty)
    }

    @Test func survivesDamage() { #expect(NoteBuilder.torment(PanasonicNotes(), note) == 0) }
}
