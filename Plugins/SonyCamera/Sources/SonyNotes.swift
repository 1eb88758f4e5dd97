public import FilmgateCore

/// Sony's maker note: a directory behind twelve bytes or none, whose offsets count from the beginning of the structure
/// around it.
///
/// Its blocks are enciphered byte by byte, always in the same way.
public struct SonyNotes: MakerNoteReader {
    private static let rating = 0x2002, block = 0x9050

    public let clipMakes = [0x0108: "Sony"]

    public init() {}

    public func reads(make: String) -> Bool { make.lowercased().hasPrefix("sony") }

    public func facts(in note: MakerNote, model: String) -> MediaFacts {
        var facts = MediaFacts()
        let heads = ["SONY DSC", "SONY CAM", "SONY MOBILE", "\0\0SONY PIC"]
        let start = heads.contains(where: note.begins) ? 12 : 0
        guard let tags = MakerDirectory(note, at: start, base: note.outside) else { return facts }
        facts.rating = tags.number(Self.rating).flatMap { (1...5).contains($0) ? $0 : nil }
        guard let layout = Layout(model), let bytes = tags.bytes(Self.block) else { return facts }
        let plain = { (range: Range<Int>) in
            range.upperBound <= bytes.count ? bytes[range].map { Self.clear[Int($0)] } : nil
        }
        // The fourth byte belongs to something else.
        facts.shutterCount = plain(layout.count..<layout.count + 3).map {
            $0.reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        if facts.shutterCount == 0 { facts.shutterCount = nil }
        facts.serial = layout.serial.flatMap(plain).flatMap { part in
            part.contains { $0 != 0 }
                ? part.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() : nil
        }
        return facts
    }

    /// Enciphered is a byte's third power, modulo 249; the few highest stand as they are.
    private static let clear: [UInt8] = {
        var clear = (0...255).map { UInt8($0) }
        for byte in 0..<249 { clear[byte * byte % 249 * byte % 249] = UInt8(byte) }
        return clear
    }()

    /// Where a generation of bodies keeps its counter, and the number of its main board.
    private struct Layout {
        var count: Int, serial: Range<Int>?

        /// Nil for bodies whose block is not known.
        init?(_ model: String) {
            func isOne(of names: [String]) -> Bool { names.contains { model.hasPrefix($0) } }
            if isOne(of: ["ILCE-7M4", "ILCE-7RM5", "ILCE-7SM3", "ILME-FX3"]) {
                self.init(count: 0x3A, serial: 0x88..<0x8E)
            } else if model == "ILCE-1" {
                self.init(count: 0x3A, serial: 0x8A..<0x90)
            } else if isOne(of: Self.second) {
                self.init(count: 0x3A, serial: 0x88..<0x8E)
            } else if isOne(of: ["SLT-", "HV", "ILCA-"]) {
                self.init(count: 0x32, serial: 0xF0..<0xF5)
            } else if isOne(of: ["NEX-5N", "NEX-7", "NEX-VG20E", "Lunar"]) {
                self.init(count: 0x32, serial: nil)
            } else if isOne(of: ["NEX-", "ILCE-QX1", "ILCE-3", "ILCE-5", "ILCE-6000"])
                || ["ILCE-7", "ILCE-7R", "ILCE-7S", "ILCE-7M2"].contains(model)
            {
                self.init(count: 0x32, serial: 0x7C..<0x80)
            } else {
                return nil
            }
        }

        private init(count: Int, serial: Range<Int>?) { (self.count, self.serial) = (count, serial) }

        private static let second = [
            "ILCE-6100", "ILCE-6300", "ILCE-6400", "ILCE-6500", "ILCE-6600", "ILCE-7C", "ILCE-7M3", "ILCE-7RM2",
            "ILCE-7RM3", "ILCE-7RM4", "ILCE-7SM2", "ILCE-9", "ILCA-99M2", "ZV-E10",
        ]
    }
}
