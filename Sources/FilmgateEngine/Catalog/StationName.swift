import FilmgateCore
import Glibc

/// What this station is called.
public enum StationName {
    /// This machine's name; `station` where it has none that a station may have.
    public static var ofMachine: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "station" }
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let name = String(decoding: bytes.prefix(64), as: UTF8.self)
        return name.isEmpty || !StationRule.isName(name) ? "station" : name
    }

    /// Its name in the catalogue: what the pipeline says, else this machine's.
    public static func of(_ rule: StationRule?) -> String {
        guard let rule, !rule.station.isEmpty else { return ofMachine }
        return rule.station
    }

    /// The same as one part of a path, `{station}`.
    static func inNames(_ rule: StationRule?) -> String { SafeName.component(of(rule)) }
}
