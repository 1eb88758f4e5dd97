import CameraTesting
import FilmgateCore
import PentaxCamera
import Testing

@Suite struct PentaxNotesTests {
    private func note(_ head: String, isLittleEndian: Bool = true) -> [UInt8] {
        let date: [UInt8] = [0x07, 0xDE, 5, 1], time: [UInt8] = [12, 30, 59, 0], count: [UInt8] = [0, 0, 0x30, 0x39]
        let hidden = (0..<4).map { count[$0] ^ date[$0] ^ ~time[$0] }
        return NoteBuilder(head: head, isLittleEndian: isLittleEndian).build([
            (0x0006, .bytes(date)), (0x0007, .bytes(Array(time.prefix(3)))), (0x005D, .bytes(hidden)),
            (0x0229, .text("4973893 ")),
        ])
    }

    @Test(arguments: ["PENTAX \0MM", "RICOH\0II", "AOC\0MM"]) func saysWhatTheNoteSays(_ head: String) {
        for isLittleEndian in [true, false] {
            // The order around it says little.
            let note = note(head, isLittleEndian: isLittleEndian)
            let facts = PentaxNotes().facts(in: MakerNote(note, isLittleEndian: true), model: "PENTAX K-3")
            #expect(facts.serial == "4973893" && facts.shutterCount == 12_345)
        }
    }

    @Test(arguments: [(6, 100), (9, 200), (100, 100), (264, 400), (0, nil), (47, nil), (65_535, nil)])
    func speedsHaveNumbers(_ number: Int, _ iso: Int?) {
        let note = NoteBuilder(head: "AOC\0MM").build([(0x0014, .short([number]))])
        #expect(PentaxNotes().facts(in: MakerNote(note), model: "").iso == iso)
    }

    @Test func survivesDamage() { #expect(NoteBuilder.torment(PentaxNotes(), note("PENTAX \0II")) == 0) }
}
