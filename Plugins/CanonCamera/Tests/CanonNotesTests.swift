import CameraTesting
import CanonCamera
import FilmgateCore
import Testing

@Suite struct CanonNotesTests {
    /// AVCHD clips bear the make as this number.
    @Test func clipsBearTheNumberOfTheMake() { #expect(CanonNotes().clipMakes == [0x1011: "Canon"]) }

    private let note = NoteBuilder().build([
        (0x0008, .long([1_001_234])), (0x0009, .text("Ann Smith")), (0x000C, .long([570_004_681])),
        (0x0093, .short([0, 7, 1, 0])), (0x0095, .text("EF24-105mm f/4L IS USM")), (0x0096, .text("H0123456")),
        (0x4019, .bytes([0, 0, 12, 0x3A, 0xBC, 0])),
    ])

    private func facts(_ model: String, _ note: [UInt8]? = nil, isLittleEndian: Bool = true) -> MediaFacts {
        CanonNotes().facts(in: MakerNote(note ?? self.note, isLittleEndian: isLittleEndian), model: model)
    }

    @Test func saysWhatTheNoteSays() {
        let facts = facts("Canon EOS 5D")
        #expect(
            facts.serial == "0570004681" && facts.owner == "Ann Smith" && facts.lensModel == "EF24-105mm f/4L IS USM")
        #expect(facts.imageNumber == 1_001_234 && facts.lensSerial == "00000c3abc" && facts.shutterCount == nil)
    }

    @Test func writesTheSerialAsTheBodyDoes() {
        let note = NoteBuilder().build([(0x000C, .long([0x0112_3039]))])
        #expect(facts("Canon EOS D30", note).serial == "011212345")
        #expect(facts("Canon EOS-1DS", note).serial == "17969209")
        #expect(facts("Canon EOS 10D", note).serial == "0017969209")
    }

    @Test func theOlderOnesOfTheFirstLineCount() {
        #expect(facts("Canon EOS-1D Mark II").shutterCount == 7 << 16 | 1)
        let big = NoteBuilder(isLittleEndian: false).build([(0x0093, .short([0, 1, 2, 0]))])
        #expect(facts("Canon EOS-1D", big, isLittleEndian: false).shutterCount == 1 << 16 | 2)
    }

    /// Compacts write no ISO into Exif: it is what was set, or what the automatic made of it.
    @Test(arguments: [
        (0x4000 | 250, 0, 0, 250), (17, 0, 0, 100), (15, 32, 160, 200), (0x7FFF, 0, 160, 100), (15, 0, 0, nil),
    ])
    func theSpeedOfCompacts(_ set: Int, _ gain: Int, _ base: Int, _ iso: Int?) {
        let settings = [Int](repeating: 0, count: 16) + [set, 0]
        let note = NoteBuilder().build([(0x0001, .short(settings)), (0x0004, .short([8, gain, base, 0]))])
        #expect(facts("Canon PowerShot A70", note).iso == iso)
        #expect(NoteBuilder.torment(CanonNotes(), note) == 0)
    }

    @Test func aCompactHasOnlyItsInnerNumber() {
        let note = NoteBuilder().build([(0x000C, .long([0])), (0x0096, .text("H0123456"))])
        #expect(facts("Canon PowerShot G10", note).serial == "H0123456")
    }

    /// Offsets count from the structure around the note.
    @Test func standsAnywhereInItsFile() {
        let note = NoteBuilder(base: -500).build([(0x0096, .text("H0123456"))])
        let file = [UInt8](repeating: 9, count: 500) + note
        let inFile = MakerNote(start: 500, count: note.count, isLittleEndian: true) { offset, count in
            offset <= file.count - count ? Array(file[offset..<offset + count]) : nil
        }
        #expect(CanonNotes().facts(in: inFile, model: "").serial == "H0123456")
    }

    @Test func readsItsOwnMakeOnly() {
        #expect(
            CanonNotes().reads(make: "Canon") && CanonNotes().reads(make: "CANON") && !CanonNotes().reads(make: "NIKON")
        )
    }

    @Test func survivesDamage() { #expect(NoteBuilder.torment(CanonNotes(), note, model: "Canon EOS-1D Mark II") == 0) }
}
