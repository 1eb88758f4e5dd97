import FilmgateCore

/// A make's way of naming files that belong to one shot though their stems differ.
///
/// Data: profiles of a make add to the table, not to code.
struct NameRule: Sendable {
    let pattern: NamePattern
    /// Stems of the shot that the file belongs to, in order of preference.
    let shots: [NamePattern]
    let kinds: [MediaKind]
    /// In lower case.
    let extensions: [String]
    /// Holds only when the folder has a picture or clip of that stem; else the name is just a name.
    let onlyIfThere: Bool

    init(
        _ pattern: String, of shots: String..., kinds: [MediaKind] = [], extensions: [String] = [],
        onlyIfThere: Bool = false
    ) {
        (self.pattern, self.shots) = (NamePattern(pattern), shots.map { NamePattern($0) })
        (self.kinds, self.extensions, self.onlyIfThere) = (kinds, extensions, onlyIfThere)
    }

    static let all: [NameRule] = {
        let chapters = ["lrv", "thm", "360", "wav"]
        return [
            // Action cameras: chapter, then the clip's number; GL is the small copy of either codec. Older ones: GOPR,
            // then GP01, GP02 …
            NameRule("GX++####", of: "GX01####", kinds: [.video], extensions: chapters),
            NameRule("GH++####", of: "GX01####", kinds: [.video], extensions: chapters),
            NameRule("GL++####", of: "GX01####", kinds: [.video], extensions: chapters),
            NameRule("GS++####", of: "GX01####", kinds: [.video], extensions: chapters),
            NameRule("GP++####", of: "GOPR####", kinds: [.video], extensions: chapters),
            // RED: segments of one clip
            NameRule("*_+++", of: "*_001", extensions: ["r3d"]),
            // and the look that was chosen for it
            NameRule("*", of: "*_001", extensions: ["rmd"], onlyIfThere: true),
            // Parts of one clip, and the clip's XML beside it when a clip folder was copied flat
            NameRule("C####_++", of: "C####_01", kinds: [.video]),
            NameRule("*M++", of: "*", extensions: ["xml"], onlyIfThere: true),
            // Compact cameras: the sound memo of a still
            NameRule(
                "SND_####", of: "IMG_####", "_MG_####", "STA_####", "STB_####", kinds: [.audio], onlyIfThere: true),
            // Phones: the edited picture and what was done before the edit lie beside the original
            NameRule("IMG_E####", of: "IMG_####", kinds: [.jpeg, .heif, .image, .video, .sidecar], onlyIfThere: true),
            NameRule("IMG_O####", of: "IMG_####", extensions: ["aae"], onlyIfThere: true),
            // Google Pixel: RAW and JPEG of one shot
            NameRule("PXL_*.~", of: "PXL_*", kinds: [.jpeg, .raw, .heif, .video, .sidecar]),
        ]
    }()

    /// The rules that may speak of a folded stem that begins with `first`.
    static func candidates(_ first: UInt8?, _ kind: MediaKind) -> [NameRule] {
        first.flatMap { byFirst[$0] } ?? (kind == .video || kind == .sidecar ? anyFirst : [])
    }

    private static let anyFirst = all.filter { $0.pattern.firstByte == nil }
    private static let byFirst: [UInt8: [NameRule]] = {
        var table: [UInt8: [NameRule]] = [:]
        for first in Set(all.compactMap(\.pattern.firstByte)) {
            table[first] = all.filter { $0.pattern.firstByte == nil || $0.pattern.firstByte == first }
        }
        return table
    }()

    /// Folded stems of the shot for a folded stem; empty when the rule does not speak of such a file.
    ///
    /// `ext`: in lower case.
    func shots(of stem: String, kind: MediaKind, ext: String) -> [String] {
        guard kinds.contains(kind) || extensions.contains(ext) else { return [] }
        guard let captured = pattern.captured(Array(stem.utf8)) else { return [] }
        return shots.map { $0.filled(captured) }
    }
}
