import FilmgateCore

/// A fixed header of 156 bytes, each text in it stored backwards.
enum ReversedRAWFile {
    static func locate(in file: ByteRegion, into findings: inout Findings) {
        findings.take { facts in
            facts.make = text(file, 0x19, 7)
            facts.model = text(file, 0x0C, 12)
            facts.captured = text(file, 0x21, 20).flatMap { CivilTime(text: $0) }
            facts.focalLength = file.u32(0x70, .big).flatMap { (1...5000).contains($0) ? Rational(Int64($0), 1) : nil }
        }
    }

    private static func text(_ file: ByteRegion, _ place: UInt64, _ length: Int) -> String? {
        guard let bytes = file.bytes(place, length) else { return nil }
        return Bytes(bytes.array.prefix { $0 != 0 }.reversed()).text
    }
}
