public import FilmgateCore
import Glibc

/// The maker note of Minolta's DiMAGE line: a directory without a head; what the exposure was stands in a list of the
/// camera's settings, in steps of an eighth.
public struct MinoltaNotes: MakerNoteReader {
    private static let settings = [0x0003, 0x0001]

    public init() {}

    public func reads(make: String) -> Bool {
        ["minolta", "konica minolta"].contains { make.lowercased().hasPrefix($0) }
    }

    public func facts(in note: MakerNote, model: String) -> MediaFacts {
        var facts = MediaFacts()
        // The list of this one is another.
        guard model != "DiMAGE X31", !["MINOL", "CAMER", "MLY0", "KC", "+M+M"].contains(where: note.begins),
            let tags = MakerDirectory(note, at: 0, base: note.outside),
            let list = Self.settings.lazy.compactMap({ tags.bytes($0) }).first(where: { $0.count >= 44 })
        else { return facts }
        func step(_ index: Int) -> Double? {
            let value = list[4 * index..<4 * index + 4].reduce(0) { $0 << 8 | Int($1) }
            return (1...255).contains(value) ? Double(value) : nil
        }
        facts.iso = step(8).map { Int((exp2(($0 - 48) / 8) * 100).rounded()) }.flatMap {
            (10...102_400).contains($0) ? $0 : nil
        }
        facts.exposureTime = step(9).flatMap { Self.seconds(exp2((48 - $0) / 8)) }
        facts.fNumber = step(10).map { Rational(Int64((exp2(($0 - 8) / 16) * 10).rounded()), 10) }
        return facts
    }

    /// As photographers write it: 1/125, or a tenth of a second.
    private static func seconds(_ time: Double) -> Rational? {
        if time > 0.0001, time < 0.5 { return Rational(1, Int64((1 / time).rounded())) }
        return time <= 120 && time >= 0.5 ? Rational(Int64((time * 10).rounded()), 10) : nil
    }
}
