/// What kind of file an asset is, decided by its name; the words of `accept` and `deliver` in the pipeline file.
public enum MediaKind: String, Sendable, Hashable, Codable, CaseIterable {
    case jpeg, raw, heif, image, video, audio, sidecar, other

    /// The kind that a file name promises, by its extension, any case; a few names say it as a whole.
    public init(fileName: String) { self.init(FileName(fileName)) }

    /// The same for a name that has been cut already.
    public init(_ name: FileName) {
        let ext = name.ext.lowercased()
        self = Self.byExtension[ext] ?? Self.byName[name.stem.lowercased() + "." + ext] ?? .other
    }

    /// The order within a shot: the first is the shot's primary.
    ///
    /// A still stands before a clip: a phone's short clip belongs to its still, and a movie's clock is the less certain
    /// one.
    public var rank: Int {
        switch self {
        case .raw: 0
        case .heif: 1
        case .jpeg: 2
        case .image: 3
        case .video: 4
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
                "3fr arw ari arx bay cap cr2 cr3 crw dcr dcs dng eip erf fff gpr iiq k25 kdc mef mos mrw nef nrw orf ori pef ptx raf raw rw2 rwl rwz sr2 srf srw x3f crm"
            ),
            (.image, "tif tiff png gif bmp webp jxl jp2 psd insp"),
            (
                .video,
                "mov mp4 m4v mts m2ts m2t ts mxf avi mpg mpeg mod tod 3gp 3g2 mkv webm 360 insv braw r3d nev dv wmv"
            ),
            (.audio, "wav mp3 m4a aac aif aiff flac"),
            (
                .sidecar,
                "xmp thm xml lrv lrf dop pp3 cos on1 rmd bim smi cpi mpl bdm cif ppn sav sec nksc aae sidecar ndf gpx nmea log"
            ),
        ]
        for (kind, list) in names { for name in list.split(separator: " ") { table[String(name)] = kind } }
        return table
    }()

    /// What a recorder writes about its medium, under one name each.
    private static let byName: [String: MediaKind] = [
        "digital_magazine.bin": .sidecar, "digital_magdynamic.bin": .sidecar,
    ]
}

/// A file name cut at its last dot: `IMG_1.CR3` is stem `IMG_1`, extension `CR3`.
///
/// A leading dot belongs to the stem.
public struct FileName: Sendable, Hashable {
    public let stem: String, ext: String

    public init(_ name: String) {
        let bytes = name.utf8
        guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")), dot != bytes.startIndex else {
            (stem, ext) = (name, ""); return
        }
        (stem, ext) = (String(name[..<dot]), String(name[bytes.index(after: dot)...]))
    }
}
