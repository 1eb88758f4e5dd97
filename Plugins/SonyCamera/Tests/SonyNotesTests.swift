import CameraTesting
import FilmgateCore
import SonyCamera
import Testing

@Suite struct SonyNotesTests {
    /// AVCHD clips bear the make as this number.
    @Test func clipsBearTheNumberOfTheMake() { #expect(SonyNotes().clipMakes == [0x0108: "Sony"]) }

    /// A block as bodies write it: each byte's third power, modulo 249.
    private func block(_ parts: [Int: [UInt8]]) -> [UInt8] {
        var plain = [UInt8](repeating: 0, count: 0x100)
        for (place, bytes) in parts { for (index, byte) in bytes.enumerated() { plain[place + index] = byte } }
        return plain.map { byte -> UInt8 in
            let cube = Int(byte) * Int(byte) * Int(byte)
            return byte < 249 ? UInt8(cube % 249) : byte
        }
    }

    private func facts(_ block: [UInt8], _ model: String, head: String = "SONY DSC \0\0\0") -> MediaFacts {
        let note = NoteBuilder(head: head).build([(0x2002, .long([4])), (0x9050, .bytes(block))])
        return SonyNotes().facts(in: MakerNote(note), model: model)
    }

    @Test func everyGenerationHasItsPlaces() {
        let second = facts(block([0x3A: [0x10, 0x27, 1, 0x77], 0x88: [0, 0xFF, 2, 3, 4, 0xF9]]), "ILCE-7M3")
        #expect(second.shutterCount == 0x1_2710 && second.serial == "00ff020304f9" && second.rating == 4)
        let first = facts(block([0x32: [5, 0, 0], 0x7C: [1, 2, 3, 4]]), "ILCE-7R", head: "")
        #expect(first.shutterCount == 5 && first.serial == "01020304")
        #expect(facts(block([0x32: [9], 0xF0: [1, 2, 3, 4, 5]]), "SLT-A99V").serial == "0102030405")
    }

    @Test func unknownBodiesAreNotGuessedAt() {
        let facts = facts(block([0x32: [5, 0, 0], 0x3A: [5, 0, 0]]), "DSC-RX100M7")
        #expect(facts.shutterCount == nil && facts.serial == nil && facts.rating == 4)
    }

    @Test func survivesDamage() {
        let note = NoteBuilder(head: "SONY DSC \0\0\0").build([
            (0x2002, .long([4])), (0x9050, .bytes(block([0x3A: [1]]))),
        ])
        #expect(NoteBuilder.torment(SonyNotes(), note, model: "ILCE-7M3") == 0)
    }
}
