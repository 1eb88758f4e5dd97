import CameraTesting
import FilmgateCore
import FujifilmCamera
import Testing

@Suite struct FujifilmNotesTests {
    private let note = NoteBuilder(head: "FUJIFILM\u{C}\0\0\0").build([
        (0x0010, .text("FFDT20908303     592D3137303830")), (0x1431, .long([5])), (0x1438, .short([0x8000 | 1234])),
    ])

    @Test func saysWhatTheNoteSays() {
        // Always little-endian, whatever the file around it is.
        let facts = FujifilmNotes().facts(in: MakerNote(note, isLittleEndian: false), model: "X-T3")
        #expect(facts.serial == "FFDT20908303     592D3137303830" && facts.rating == 5 && facts.shutterCount == 1234)
    }

    @Test func aFrameThatNobodyRatedHasNoRating() {
        let note = NoteBuilder(head: "FUJIFILM\u{C}\0\0\0").build([(0x1431, .long([0])), (0x1438, .short([0]))])
        #expect(FujifilmNotes().facts(in: MakerNote(note), model: "").isEmpty)
    }

    @Test func survivesDamage() { #expect(NoteBuilder.torment(FujifilmNotes(), note) == 0) }
}
