/// A folder structure that belongs to its clips: players and editors need all of it, in place.
///
/// As data.
package struct ClipTreeKind: Sendable {
    /// Case-folded name of the tree's root folder.
    let name: String
    /// Names of which the root folder must hold one, so that a folder that merely has that name stays an ordinary one; empty = the name says it.
    var evidence: Set<String> = []
    /// Folder that the root must lie in; nil = any.
    var parent: String?
    /// Folder, counted from the root, below which each folder is one clip (`clpr`); `#` stands for a digit.
    var clipFolders: NamePattern?
    /// What a file's name may have after the clip's: `m01`, `00`.
    var suffixes: [NamePattern] = []

    static let all: [ClipTreeKind] = [
        ClipTreeKind(name: "m4root", suffixes: letterAndNumber),
        ClipTreeKind(name: "xdroot", suffixes: letterAndNumber),
        ClipTreeKind(name: "avchd", evidence: ["bdmv"]),
        ClipTreeKind(name: "bdmv", evidence: ["stream"]),
        ClipTreeKind(name: "bpav", evidence: ["clpr"], clipFolders: NamePattern("clpr"), suffixes: letterAndNumber),
        ClipTreeKind(
            name: "contents", evidence: ["video", "audio", "icon", "clips001"], clipFolders: NamePattern("clips###"),
            suffixes: [NamePattern("*++")]),
        ClipTreeKind(name: "clips", parent: "private"),
    ]

    /// A disc's layout at the top of a card: `CLIP`, `SUB` … side by side without a folder around them.
    static let open = ClipTreeKind(name: "clip", suffixes: letterAndNumber)
    static let openMembers: Set<String> = [
        "clip", "sub", "edit", "general", "take", "thmbnl", "userdata", "mediapro.xml", "index.xml", "discmeta.xml", "alias.xml",
        "cueup.xml",
    ]
    static let openEvidence: Set<String> = ["thmbnl", "mediapro.xml", "index.xml", "discmeta.xml", "cueup.xml"]

    /// Folders at the top of a volume that make it look like a card.
    package static let cardFolders: Set<String> = [
        "dcim", "private", "m4root", "mp_root", "avchd", "bdmv", "clip", "xdroot", "bpav", "contents",
    ]

    /// Folders inside a tree whose files stand for a clip and are none themselves.
    static let standIns: Set<String> = ["thmbnl", "icon", "sub", "proxy"]
    static let sounds: Set<String> = ["audio", "voice"]

    private static let letterAndNumber = [
        NamePattern("*m++"), NamePattern("*t++"), NamePattern("*s++"), NamePattern("*r++"), NamePattern("*i++"),
    ]
}
