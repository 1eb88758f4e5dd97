import FilmgateCore

package enum Housekeeping {
    /// Files that cameras keep for themselves and make anew: indexes, print orders, markers.
    ///
    /// Compared with the end of a path, case ignored; `*` stands for any text, `#` for a digit. Outside of clip trees they are filtered,
    /// inside they travel with the clips. `safe-to-format` does not ask for a copy of them. No pattern matches a picture, a clip or a
    /// sound.
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

    private static let patterns = names.map { (NamePattern($0), hasFolder: $0.utf8.contains(0x2F)) }

    /// Whether `path` (relative or absolute) is one of ``names`` or what an operating system left behind that never holds a
    /// picture (`.DS_Store`, `Thumbs.db`, `System Volume Information` …; not trash, not `LOST.DIR`).
    ///
    /// Looks at the name only.
    package static func contains(path: String) -> Bool {
        let parts = path.utf8.split(separator: 0x2F)
        guard let last = parts.last else { return false }
        return Junk.isHarmless(String(Substring(last))) || isCamerasOwn(path)
    }

    static func isCamerasOwn(_ path: String) -> Bool {
        let parts = SafeName.folded(path).utf8.split(separator: 0x2F)
        guard let name = parts.last else { return false }
        let withFolder = parts.suffix(2).joined(separator: [0x2F])
        return patterns.contains { pattern, hasFolder in pattern.matches(hasFolder ? Array(withFolder) : Array(name)) }
    }
}
