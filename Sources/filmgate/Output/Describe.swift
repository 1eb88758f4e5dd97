import FilmgateCore

/// Numbers as people read them.
enum Describe {
    /// `1.4 GB`; powers of 1000, as cameras and disks are labelled.
    static func bytes(_ count: UInt64) -> String {
        let units = ["B", "kB", "MB", "GB", "TB", "PB"]
        var value = Double(count), unit = 0
        while value >= 1000, unit < units.count - 1 { (value, unit) = (value / 1000, unit + 1) }
        return unit == 0 ? "\(count) B" : "\(decimal(value, value < 10 ? 1 : 0)) \(units[unit])"
    }

    static func decimal(_ value: Double, _ places: Int) -> String {
        let factor = places == 0 ? 1.0 : 10.0
        let rounded = (value * factor).rounded() / factor
        return places == 0 ? String(Int(rounded)) : String(rounded)
    }

    /// `0.4 s`, `42 s`, `3 min 10 s`, `2 h 5 min`.
    static func duration(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds < 1e9 else { return "–" }
        if seconds < 10 { return decimal(seconds, 1) + " s" }
        let whole = Int(seconds.rounded())
        if whole < 60 { return "\(whole) s" }
        if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
        return "\(whole / 3600) h \(whole % 3600 / 60) min"
    }

    static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
        "\(number) \(number == 1 ? one : many ?? one + "s")"
    }

    /// A path on one line of a terminal: control characters, and those that turn the direction of writing, shown, not
    /// obeyed.
    static func name(_ path: String) -> String {
        guard path.unicodeScalars.contains(where: isObeyed) else { return path }
        var shown = ""
        for scalar in path.unicodeScalars {
            if isObeyed(scalar) {
                shown += scalar.escaped(asASCII: true)
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }

    private static func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case ..<0x20, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
