import FilmgateCore

/// A folder structure that belongs to its clips: players and editors need all of it, in place.
///
/// As data.
package struct ClipTreeKind: Sendable {
    /// What the tree's root folder is called.
    let name: NamePattern
    /// Names of which the root folder must hold one, so that a folder that merely has that name stays an ordinary one;
    /// empty = the name says it.
    var evidence: Set<String> = []
    /// Folder that the root must lie in; nil = any.
    var parent: String?
    /// What the folder at the root's top is called that leads to a clip (`clpr`); `#` stands for a digit.
    var clipFolders: NamePattern?
    /// How many folders below the root it takes to name one clip; 0 = the root is the clip itself.
    ///
    /// Nil = clips are told apart by their files' names.
    var clipDepth: Int?
    /// What a file's name may have after the clip's: `m01`, `00`.
    var suffixes: [NamePattern] = []

    private init(
        _ name: String, evidence: Set<String> = [], parent: String? = nil, clipFolders: String? = nil,
        clipDepth: Int? = nil, suffixes: [NamePattern] = []
    ) {
        (self.name, self.evidence, self.parent) = (NamePattern(name), evidence, parent)
        (self.clipFolders, self.clipDepth, self.suffixes) = (clipFolders.map { NamePattern($0) }, clipDepth, suffixes)
    }

    /// Whether a folder of that case-folded name may be the root.
    func isNamed(_ folded: String) -> Bool { name.matches(Array(folded.utf8)) }

    static let all: [ClipTreeKind] = [
        ClipTreeKind("m4root", suffixes: letterAndNumber),
        ClipTreeKind("xdroot", suffixes: letterAndNumber),
        ClipTreeKind("avchd", evidence: ["bdmv"]),
        ClipTreeKind("bdmv", evidence: ["stream"]),
        ClipTreeKind("bpav", evidence: ["clpr"], clipFolders: "clpr", clipDepth: 2, suffixes: letterAndNumber),
        ClipTreeKind(
            "contents", evidence: ["video", "audio", "icon", "clips001"], clipFolders: "clips###", clipDepth: 2,
            suffixes: [NamePattern("*++")]),
        ClipTreeKind("clips", parent: "private"),
        // RED: a magazine of clips, and a clip that was copied out of one
        ClipTreeKind("*.rdm", clipFolders: "*.rdc", clipDepth: 1),
        ClipTreeKind("*.rdc", clipDepth: 0),
    ]

    /// A disc's layout at the top of a card: `CLIP`, `SUB` … side by side without a folder around them.
    static let open = ClipTreeKind(openName, suffixes: letterAndNumber)
    static let openName = "clip"
    static let openMembers: Set<String> = [
        "clip", "sub", "edit", "general", "take", "thmbnl", "userdata", "mediapro.xml", "index.xml", "discmeta.xml",
        "alias.xml", "cueup.xml",
    ]
    static let openEvidence: Set<String> = ["thmbnl", "mediapro.xml", "index.xml", "discmeta.xml", "cueup.xml"]

    private static let cardFolders: Set<String> = [
        "dcim", "private", "m4root", "mp_root", "avchd", "bdmv", "clip", "xdroot", "bpav", "contents",
    ]

    /// Whether a folder of that name at the top of a volume makes it look like a card.
    package static func isCardFolder(_ name: String) -> Bool {
        let folded = SafeName.folded(name)
        return cardFolders.contains(folded) || folded.hasSuffix(".rdm") || folded.hasSuffix(".rdc")
    }

    /// Folders inside a tree whose files stand for a clip and are none themselves.
    static let standIns: Set<String> = ["thmbnl", "icon", "sub", "proxy"]
    static let sounds: Set<String> = ["audio", "voice"]

    private static let letterAndNumber = [
        NamePattern("*m++"), NamePattern("*t++"), NamePattern("*s++"), NamePattern("*r++"), NamePattern("*i++"),
    ]
}
