public import FilmgateCore

/// What the bytes of a file are, told by their first few, whatever the name says.
public enum FileFormat: String, Sendable, Hashable, Codable, CaseIterable {
    case jpeg
    /// A JPEG's metadata segments alone.
    case exv
    /// TIFF 6.0 and BigTIFF; most RAW formats are TIFF too and tell only by name.
    case tiff
    /// TIFF structure under another magic number.
    case orf, rw2
    case heif, avif, cr3, movie, audioMovie
    case jp2, jxl
    case raf, crw, mrw, x3f
    case avi, wav, webp
    case png, psd, gif, bmp
    case transportStream, mxf, matroska, dv, r3d
    /// A RAW file packed with its settings.
    case eip
    /// A RAW header whose texts are stored backwards.
    case reversedRAW
    case xml

    /// The kind of file that these bytes are; RAW in a plain TIFF structure counts as an image.
    public var kind: MediaKind {
        switch self {
        case .jpeg: .jpeg
        case .exv: .other
        case .tiff, .jp2, .jxl, .webp, .png, .psd, .gif, .bmp: .image
        case .orf, .rw2, .cr3, .raf, .crw, .mrw, .x3f, .eip, .reversedRAW: .raw
        case .heif, .avif: .heif
        case .movie, .avi, .transportStream, .mxf, .matroska, .dv, .r3d: .video
        case .audioMovie, .wav: .audio
        case .xml: .sidecar
        }
    }

    /// Whether a file of this format may carry a name of `kind`.
    ///
    /// Sidecars and files of no known kind may hold anything.
    public func fits(_ kind: MediaKind, ext: String) -> Bool {
        switch (self, kind) {
        case (_, .sidecar), (_, .other), (.tiff, .raw), (.audioMovie, .video), (.movie, .audio): true
        case (.jpeg, .image): ["insp", "jps", "jxl"].contains(ext.lowercased())
        case (.jpeg, .raw), (.movie, .raw): true
        default: kind == self.kind
        }
    }
}
