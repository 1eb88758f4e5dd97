import CameraTesting
import CanonCamera
import CardMakes
import FilmgateCore
import FujifilmCamera
import LeicaCamera
import NikonCamera
import OlympusCamera
import PanasonicCamera
import PentaxCamera
import SonyCamera

/// Every make's reader.
let makers: [any MakerNoteReader] = [
    CanonNotes(), NikonNotes(), SonyNotes(), FujifilmNotes(), PanasonicNotes(), OlympusNotes(), PentaxNotes(),
    LeicaNotes(), SigmaNotes(), PhaseOneNotes(), ReconyxNotes(), MotorolaNotes(), KodakNotes(), CasioNotes(),
    MinoltaNotes(), JVCClips(),
]

/// Models that decide how something is read.
private let models = ["", "Canon EOS D30", "Canon EOS-1D Mark II", "ILCE-7M3", "ILCE-1", "ILCE-7R", "SLT-A99V"]

/// Gives the bytes to every make as a note; the first byte says which model, which order and where the note begins.
func checkNote(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let start = first & 0x40 == 0 ? 0 : min(bytes.count, 200)
    let note = MakerNote(start: start, count: bytes.count - start, isLittleEndian: first & 0x80 == 0) { offset, count in
        count <= bytes.count && offset <= bytes.count - count ? Array(bytes[offset..<offset + count]) : nil
    }
    for maker in makers {
        let facts = maker.facts(in: note, model: models[Int(first & 0x3F) % models.count])
        precondition(facts.rating.map { (1...5).contains($0) } ?? true, "a maker's rating")
        precondition(facts.shutterCount.map { $0 > 0 } ?? true, "a shutter count")
        precondition((facts.iso ?? 1) > 0, "a speed")
        for fraction in [facts.exposureTime, facts.fNumber] {
            precondition(fraction.map { $0.numerator > 0 && $0.denominator > 0 } ?? true, "a fraction")
        }
        precondition(
            [facts.serial, facts.owner, facts.lensModel, facts.lensSerial].allSatisfy { $0 != "" }, "empty text")
    }
}

/// One note for each way of writing them.
let noteSeeds: [(name: String, bytes: [UInt8])] = [
    ("canon", note("", [(0x0008, .long([1_001_234])), (0x000C, .long([570_004_681])), (0x0095, .text("EF24-105mm"))])),
    ("sony", note("SONY DSC \0\0\0", [(0x2002, .long([4])), (0x9050, .bytes([UInt8](repeating: 8, count: 256)))])),
    ("fuji", note("FUJIFILM\u{C}\0\0\0", [(0x0010, .text("FFDT20908303")), (0x1438, .short([0x8123]))])),
    ("panasonic", note("Panasonic\0\0\0", [(0x0025, .bytes(Array("XGB1102030123\0\0\0".utf8)))])),
    ("olympus", note("OM SYSTEM\0\0\0II\u{4}\0", [(0x2010, .folder([(0x0101, .text("BHLB61153"))]))])),
    (
        "pentax",
        note(
            "PENTAX \0II",
            [(0x0006, .bytes([7, 222, 5, 1])), (0x0007, .bytes([12, 30, 59])), (0x005D, .bytes([1, 2, 3, 4]))])
    ),
    ("leica", note("LEICA\0\u{5}\0", [(0x0305, .long([4_567_890]))])),
    ("sigma", note("SIGMA\0\0\0\u{1}\0", [(0x0002, .text("02000019"))])),
    ("kodak", Array("KDK INFO".utf8) + [UInt8](repeating: 1, count: 120)),
    ("casio", note("QVC\0\0\0", [(0x0014, .short([6])), (0x3014, .short([64]))])),
    ("minolta", note("", [(0x0003, .bytes([UInt8](repeating: 40, count: 120)))])),
    ("motorola", note("MOT\0\u{1}\0\0\0", [(0x5501, .text("NX0A3S0075"))])),
].map { ("note-" + $0.0, $0.1) }

private func note(_ head: String, _ entries: [(tag: Int, value: NoteBuilder.Value)]) -> [UInt8] {
    NoteBuilder(head: head).build(entries)
}
