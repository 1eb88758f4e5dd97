/// What kind of file an asset is, decided by its name; the words of `accept` and `deliver` in the pipeline file.
public enum MediaKind: String, Sendable, Hashable, Codable, CaseIterable {
    case jpeg, raw, heif, image, video, audio, sidecar, other

    /// The kind that a file name promises, by its extension, any case.
    public init(fileName: String) {
        self = Self.byExtension[FileName(fileName).ext.lowercased()] ?? .other
    }

    /// The order within a shot: the first is the shot's primary.
    public var rank: Int {
        switch self {
        case .raw: 0
        case .video: 1
        case .heif: 2
        case .jpeg: 3
        case .image: 4
        case .audio: 5
        case .sidecar: 6
        case .other: 7
        }
    }

    /// Sidecars and memos follow another file of their shot.
    public var follows: Bool { self == .sidecar || self == .audio || self == .other }

    public static let byExtension: [String: MediaKind] = {
        var table: [String: MediaKind] = [:]
        let names: [(MediaKind, String)] = [
            (.jpeg, "jpg jpeg jpe jfif mpo"),
            (.heif, "heic heif hif avif heics avci"),
            (
                .raw,
                "3fr arw ari bay cap cr2 cr3 crw dcr dcs dng eip erf fff gpr iiq k25 kdc mef mos mrw nef nrw orf ori pef ptx raf raw rw2 rwl rwz sr2 srf srw x3f crm"
            ),
            (.image, "tif tiff png gif bmp webp jxl jp2 psd insp"),
            (.video, "mov mp4 m4v mts m2ts m2t ts mxf avi mpg mpeg mod tod 3gp 3g2 mkv webm 360 insv braw r3d dv wmv"),
            (.audio, "wav mp3 m4a aac aif aiff flac"),
            (.sidecar, "xmp thm xml lrv lrf dop pp3 cos on1 rmd bim smi cpi mpl bdm cif ppn sav sec nksc aae"),
        ]
        for (kind, list) in names { for name in list.split(separator: " ") { table[String(name)] = kind } }
        return table
    }()
}

/// A file name cut at its last dot: `IMG_1.CR3` is stem `IMG_1`, extension `CR3`.
///
/// A leading dot belongs to the stem.
public struct FileName: Sendable, Hashable {
    public let stem: String, ext: String

    public init(_ name: String) {
        let bytes = name.utf8
        guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")), dot != bytes.startIndex else { (stem, ext) = (name, ""); return }
        (stem, ext) = (String(name[..<dot]), String(name[bytes.index(after: dot)...]))
    }
}
