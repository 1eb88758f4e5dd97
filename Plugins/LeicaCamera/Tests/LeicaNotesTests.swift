import CameraTesting
import FilmgateCore
import LeicaCamera
import Testing

@Suite struct LeicaNotesTests {
    @Test(arguments: ["LEICA\0\u{5}\0", "LEICA\0\u{9}\0"]) func saysWhatTheNoteSays(_ head: String) {
        let note = NoteBuilder(head: head).build([(0x0305, .long([4_567_890]))])
        #expect(LeicaNotes().facts(in: MakerNote(note), model: "LEICA X2").serial == "4567890")
    }

    @Test func withoutANumberTheInnerOneCounts() {
        let note = NoteBuilder(head: "LEICA\0\u{6}\0").build([
            (0x0305, .long([0])), (0x0500, .bytes(Array("XYZ1503040012\0\0\0".utf8))),
        ])
        #expect(LeicaNotes().facts(in: MakerNote(note), model: "LEICA T").serial == "XYZ1503040012")
    }

    @Test func theOldestCountFromTheirDirectory() {
        let note = NoteBuilder(head: "LEICA\0\0\0", base: 8).build([(0x0303, .long([3_123_456]))])
        #expect(LeicaNotes().facts(in: MakerNote(note), model: "M8").serial == "3123456")
    }

    @Test func survivesDamage() {
        let note = NoteBuilder(head: "LEICA\0\u{5}\0").build([(0x0305, .long([4_567_890]))])
        #expect(NoteBuilder.torment(LeicaNotes(), note) == 0)
    }
}
