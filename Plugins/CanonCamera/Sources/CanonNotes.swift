public import FilmgateCore
import Glibc

/// Canon's maker note: a directory without a head, whose offsets count from the beginning of the structure around it.
public struct CanonNotes: MakerNoteReader {
    private static let settings = 0x0001, shotInfo = 0x0004, fileNumber = 0x0008, owner = 0x0009, serial = 0x000C
    private static let fileInfo = 0x0093
    private static let lens = 0x0095, internalSerial = 0x0096
    private static let lensInfo = 0x4019

    public let clipMakes = [0x1011: "Canon"]

    public init() {}

    public func reads(make: String) -> Bool { make.lowercased().hasPrefix("canon") }

    public func facts(in note: MakerNote, model: String) -> MediaFacts {
        var facts = MediaFacts()
        guard let tags = MakerDirectory(note, at: 0, base: note.outside) else { return facts }
        facts.serial = tags.number(Self.serial).flatMap { serial($0, model) } ?? tags.text(Self.internalSerial)
        facts.owner = tags.text(Self.owner)
        facts.lensModel = tags.text(Self.lens)
        facts.lensSerial = lensSerial(tags)
        facts.imageNumber = tags.number(Self.fileNumber).flatMap { $0 > 0 && $0 < 10_000_000 ? $0 : nil }
        facts.iso = iso(tags)
        facts.shutterCount = shutterCount(tags, note, model)
        return facts
    }

    /// Compacts say the speed here alone: what was set, else what the automatic took, in steps of a 32nd.
    private func iso(_ tags: MakerDirectory) -> Int? {
        if let set = tags.number(Self.settings, 16), set != 0x7FFF {
            if set & 0xC000 == 0x4000 { return sound(Double(set & 0x3FFF)) }
            if let named = [16: 50, 17: 100, 18: 200, 19: 400, 20: 800][set] { return named }
        }
        func steps(_ index: Int) -> Double? {
            tags.number(Self.shotInfo, index).map { Double(Int16(truncatingIfNeeded: $0)) / 32 }
        }
        guard let gain = steps(1), let base = steps(2), base != 0 else { return nil }
        return sound(exp2(base) * 100 / 32 * exp2(gain))
    }

    private func sound(_ iso: Double) -> Int? { (10...1_000_000).contains(iso) ? Int(iso.rounded()) : nil }

    /// As it is printed on the body.
    private func serial(_ number: Int, _ model: String) -> String? {
        guard number > 0, number < 0xFFFF_FFFF else { return nil }
        let digits = String(number)
        if model.hasSuffix("EOS D30") {
            let high = String(number >> 16, radix: 16), low = String(number & 0xFFFF)
            return String(repeating: "0", count: max(0, 4 - high.count)) + high
                + String(repeating: "0", count: 5 - low.count) + low
        }
        return String(repeating: "0", count: max(0, (model.contains("EOS-1D") ? 6 : 10) - digits.count)) + digits
    }

    private func lensSerial(_ tags: MakerDirectory) -> String? {
        guard let bytes = tags.bytes(Self.lensInfo)?.prefix(5), bytes.count == 5,
            bytes.contains(where: { $0 != 0 && $0 != 0xFF })
        else {
            return nil
        }
        return bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// Only the first bodies of the 1D line say it in clear.
    private func shutterCount(_ tags: MakerDirectory, _ note: MakerNote, _ model: String) -> Int? {
        guard model.contains("EOS-1D"), let low = tags.number(Self.fileInfo, 1),
            let high = tags.number(Self.fileInfo, 2)
        else {
            return nil
        }
        guard !note.isLittleEndian || (model.contains("Mark II") && !model.contains("Mark III")) else { return nil }
        let count = low << 16 | high
        return count > 0 ? count : nil
    }
}
