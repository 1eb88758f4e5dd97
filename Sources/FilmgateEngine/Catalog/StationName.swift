import FilmgateCore

/// What this station is called.
public enum StationName {
    /// This machine's name; `station` where it has none that a station may have.
    public static var ofMachine: String {
        let name = String(decoding: (MachineName.current ?? "").utf8.prefix(64), as: UTF8.self)
        return StationRule.isName(name) && !name.isEmpty ? name : "station"
    }

    /// Its name in the catalogue: what the pipeline says, else this machine's.
    public static func of(_ rule: StationRule?) -> String {
        guard let rule, !rule.station.isEmpty else { return ofMachine }
        guard let variable = StationRule.variable(in: rule.station) else { return rule.station }
        return StationRule.value(of: variable) ?? ofMachine
    }

    /// The same as one part of a path, `{station}`.
    static func inNames(_ rule: StationRule?) -> String { SafeName.component(of(rule)) }
}
