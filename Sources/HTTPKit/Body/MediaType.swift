import FilmgateCore

/// The media type that servers expect for a file name.
public enum MediaType {
    /// Registered types where there is one; RAW files, whose types nobody agrees on, are plain bytes.
    public static func of(fileName: String) -> String {
        let ext = FileName(fileName).ext.lowercased()
        return byExtension[ext] ?? (MediaKind(fileName: fileName) == .jpeg ? "image/jpeg" : "application/octet-stream")
    }

    private static let byExtension = [
        "heic": "image/heic", "heif": "image/heif", "hif": "image/heif", "avif": "image/avif", "tif": "image/tiff",
        "tiff": "image/tiff", "png": "image/png", "gif": "image/gif", "webp": "image/webp", "jxl": "image/jxl",
        "bmp": "image/bmp", "dng": "image/x-adobe-dng", "mov": "video/quicktime", "mp4": "video/mp4",
        "m4v": "video/mp4", "avi": "video/x-msvideo", "mts": "video/mp2t", "m2ts": "video/mp2t",
        "mxf": "application/mxf", "mpg": "video/mpeg", "mpeg": "video/mpeg", "mkv": "video/x-matroska",
        "webm": "video/webm", "wav": "audio/wav", "mp3": "audio/mpeg", "m4a": "audio/mp4", "flac": "audio/flac",
        "xmp": "application/rdf+xml", "xml": "application/xml", "thm": "image/jpeg",
    ]
}
