public import FilmgateCore

/// An object's format, ISO 15740 §6.
///
/// Makers' codes clash: the kind of a file is decided by its name, and by this only where its name says nothing.
public struct FormatCode: PTPCode {
    public var rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let undefined = Self(0x3000)
    public static let association = Self(0x3001)
    public static let script = Self(0x3002)
    public static let executable = Self(0x3003)
    public static let text = Self(0x3004)
    public static let html = Self(0x3005)
    public static let dpof = Self(0x3006)
    public static let aiff = Self(0x3007)
    public static let wav = Self(0x3008)
    public static let mp3 = Self(0x3009)
    public static let avi = Self(0x300A)
    public static let mpeg = Self(0x300B)
    public static let asf = Self(0x300C)
    public static let quickTime = Self(0x300D)
    public static let undefinedImage = Self(0x3800)
    public static let exifJPEG = Self(0x3801)
    public static let tiffEP = Self(0x3802)
    public static let bmp = Self(0x3804)
    public static let ciff = Self(0x3805)
    public static let gif = Self(0x3807)
    public static let jfif = Self(0x3808)
    public static let png = Self(0x380B)
    public static let tiff = Self(0x380D)
    public static let jp2 = Self(0x380F)
    public static let jpx = Self(0x3810)
    public static let dng = Self(0x3811)
    public static let wma = Self(0xB901)
    public static let aac = Self(0xB903)
    public static let wmv = Self(0xB981)
    public static let mp4 = Self(0xB982)
    public static let threeGP = Self(0xB984)
    public static let m4a = Self(0xB215)
    public static let xml = Self(0xBA82)

    /// What the standard's codes say of a file; nil where they say nothing.
    public var kind: MediaKind? {
        switch self {
        case .exifJPEG, .jfif: .jpeg
        case .dng: .raw
        case .tiff, .tiffEP, .png, .gif, .bmp, .jp2, .jpx: .image
        case .avi, .mpeg, .asf, .quickTime, .wmv, .mp4, .threeGP: .video
        case .aiff, .wav, .mp3, .wma, .aac, .m4a: .audio
        default: nil
        }
    }

    public static let names: [UInt16: String] = [
        0x3000: "Undefined", 0x3001: "Association", 0x3002: "Script", 0x3003: "Executable", 0x3004: "Text",
        0x3005: "Html", 0x3006: "Dpof", 0x3007: "Aiff", 0x3008: "Wav", 0x3009: "Mp3", 0x300A: "Avi", 0x300B: "Mpeg",
        0x300C: "Asf", 0x300D: "QuickTime", 0x3800: "UndefinedImage", 0x3801: "ExifJPEG", 0x3802: "TiffEP",
        0x3804: "Bmp", 0x3805: "Ciff", 0x3807: "Gif", 0x3808: "Jfif", 0x380B: "Png", 0x380D: "Tiff", 0x380F: "Jp2",
        0x3810: "Jpx", 0x3811: "Dng", 0xB901: "Wma", 0xB903: "Aac", 0xB981: "Wmv", 0xB982: "Mp4", 0xB984: "ThreeGP",
        0xB215: "M4a", 0xBA82: "Xml",
    ]
}
