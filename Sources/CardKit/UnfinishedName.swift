import FilmgateCore

/// Names that cameras, browsers and programs give to files that they are still making: `IMG_1.JPG.part`.
public enum UnfinishedName {
    private static let extensions: Set<String> = [
        "tmp", "temp", "part", "partial", "crdownload", "download", "filepart", "opdownload", "upload", "inprogress",
        "lock", "in",
    ]

    public static func isOne(_ name: String) -> Bool { extensions.contains(FileName(name).ext.lowercased()) }

    /// What the file is to be called once it is whole; nil where that is no name of a picture, a clip, a sound or a
    /// sidecar.
    public static func meant(_ name: String) -> String? {
        let stem = FileName(name).stem
        return isOne(name) && MediaKind(fileName: stem) != .other ? stem : nil
    }
}
