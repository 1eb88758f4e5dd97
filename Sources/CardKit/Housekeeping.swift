import FilmgateCore

package enum Housekeeping {
    /// Files that cameras keep for themselves and make anew: indexes, print orders, markers.
    ///
    /// Compared with the end of a path, case ignored; `*` stands for any text, `#` for a digit. Outside of clip trees
    /// they are filtered, inside they travel with the clips. `safe-to-format` does not ask for a copy of them. No
    /// pattern matches a picture, a clip or a sound.
    package static let names: [String] = [
        // Card-wide: print orders (DPOF) and the AVCHD index
        "AUTPRINT.MRK", "AUTXFER.MRK", "AUTPLAY.MRK", "INDEX.BDM", "MOVIEOBJ.BDM",
        // Clip indexes of M4ROOT, XDROOT and BPAV
        "MEDIAPRO.XML", "CUEUP.XML", "DISCMETA.XML", "M4ROOT/STATUS.BIN",
        // Catalogues and card markers
        "*.CTG", "NIKON###.DSC",
        // Data base, card marker and clip index of other cameras
        "DATABASE/DATABASE.BIN", "SONYCARD.IND", "AVF_INFO/*.BNP", "AVF_INFO/*.INP", "AVF_INFO/*.INT",
        // An action camera's marker and advertisement
        "MISC/VERSION.TXT", "LEINFO.SAV", "GET_STARTED_WITH_GOPRO*.URL",
    ]

    /// What an editing program keeps in a session's folders and makes anew: thumbnails, previews, focus masks.
    ///
    /// Compared as ``names`` are. What somebody did to a picture lies in files beside these, which are none of them.
    package static let caches: [String] = ["COT", "COP", "COF", "BC"].map { "CAPTUREONE/CACHE/*/*.\($0)" }

    private struct Pattern: Sendable {
        let name: NamePattern, depth: Int
        init(_ text: String) { (name, depth) = (NamePattern(text), text.utf8.count { $0 == 0x2F } + 1) }

        func matches(_ parts: [Substring.UTF8View]) -> Bool {
            parts.count >= depth && name.matches(Array(parts.suffix(depth).joined(separator: [0x2F])))
        }
    }
    private static let own = names.map(Pattern.init), cached = caches.map(Pattern.init)
    /// Masks and colour profiles of a session: with its adjustments they are all that was done to its pictures.
    private static let settings = ["COMASK", "ICM"].map { Pattern("CAPTUREONE/SETTINGS*/*.\($0)") }

    /// Whether `path` (relative or absolute) is one of ``names`` or ``caches``, or what an operating system left behind
    /// that never holds a picture (`.DS_Store`, `Thumbs.db`, `System Volume Information` …; not trash, not `LOST.DIR`).
    ///
    /// Looks at the name only.
    package static func contains(path: String) -> Bool {
        let parts = path.utf8.split(separator: 0x2F)
        guard let last = parts.last else { return false }
        return Junk.isHarmless(String(Substring(last))) || reason(path) != nil
    }

    /// Whose housekeeping a file is by its path, as a sentence for people; nil when it is not.
    static func reason(_ path: String) -> String? {
        let parts = SafeName.folded(path).utf8.split(separator: 0x2F)
        if own.contains(where: { $0.matches(parts) }) { return "housekeeping: the camera keeps it for itself" }
        return cached.contains { $0.matches(parts) }
            ? "housekeeping: a preview that the editing program makes anew" : nil
    }

    /// True for what an editing program keeps of its user's work beside pictures, under names that say so only there.
    static func isEditing(_ path: String) -> Bool {
        let parts = SafeName.folded(path).utf8.split(separator: 0x2F)
        return settings.contains { $0.matches(parts) }
    }
}
