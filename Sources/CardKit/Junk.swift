import FilmgateCore

/// Names that operating systems leave on cards.
///
/// They are listed as filtered, folders as one entry without their contents.
package enum Junk {
    private static let names: [String: String] = [
        ".ds_store": "Finder's view of a folder", ".trashes": "the Mac's trash",
        ".spotlight-v100": "the Mac's search index", ".fseventsd": "the Mac's record of changes",
        "__macosx": "what the Mac adds to archives", "thumbs.db": "Windows' thumbnails",
        "desktop.ini": "Windows' view of a folder", "system volume information": "Windows' volume data",
        "$recycle.bin": "Windows' trash", "lost.dir": "a phone's leftovers", ".filmgate": "Filmgate's own staging",
    ]

    private static let files: Set<String> = [".ds_store", "thumbs.db", "desktop.ini"]

    /// Why an entry is junk by its name, as a sentence for people; nil when it is not.
    ///
    /// A folder with the name of a junk file is not what that name stands for, and may hold anything.
    package static func reason(_ name: String, isFolder: Bool = false) -> String? {
        if isFolder, name.utf8.starts(with: "._".utf8) || files.contains(SafeName.folded(name)) { return nil }
        switch name.utf8.first {
        case 0x2E where name.utf8.starts(with: "._".utf8): return "junk: the Mac's attributes of another file"
        case 0x2E where name.utf8.starts(with: ".Trash-".utf8): return "junk: the desktop's trash"
        case 0x2E, 0x5F, 0x24, 0x54, 0x74, 0x44, 0x64, 0x53, 0x73, 0x4C, 0x6C:
            return names[SafeName.folded(name)].map { "junk: \($0)" }
        default: return nil
        }
    }

    /// Junk that never holds a picture; trash and leftovers may.
    static func isHarmless(_ name: String) -> Bool {
        let harmless: Set<String> = [
            ".ds_store", ".spotlight-v100", ".fseventsd", "thumbs.db", "desktop.ini", "system volume information",
        ]
        return name.utf8.starts(with: "._".utf8) || harmless.contains(SafeName.folded(name))
    }
}
