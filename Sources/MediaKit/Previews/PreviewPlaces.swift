/// A picture inside a file, coded as JPEG, or the file itself where it is a HEIF: where it lies, as the file says.
///
/// It lies inside the file, and its head was read. Its bytes are hostile until they are decoded.
public struct PreviewPlace: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// For lists, mostly 160 × 120 pixels.
        case thumbnail
        /// For a camera's screen, or in place of RAW data.
        case preview
        /// The file's own picture.
        case whole
    }
    public enum Coding: Sendable, Hashable { case jpeg, heif }
    /// Bytes, from the file's beginning.
    public let offset: UInt64, length: UInt64
    public let kind: Kind
    /// A HEIF says itself how it is turned, whatever its Exif says.
    public var coding = Coding.jpeg
    /// Pixels as stored, before rotation.
    public let width: Int, height: Int

    public var longEdge: Int { max(width, height) }
}

/// The pictures inside one file.
public struct PreviewPlaces: Sendable, Hashable {
    /// The smallest first, each place once; empty where there are none.
    public internal(set) var places: [PreviewPlace] = []
    /// 1…8, Exif 0x0112: how each of them has to be turned.
    public internal(set) var orientation = 1
    /// Pixels of the file's own picture, before rotation; that of the largest preview where nothing says it, else 0.
    public internal(set) var width = 0, height = 0
}

extension MediaReader {
    /// Finds the pictures inside a file.
    ///
    /// Blocks for the disk: a few small reads, never more than 4 MiB in all. Nil when the medium failed. Never traps
    /// and always ends, whatever the bytes are; no library takes part.
    public static func previews(_ source: some ByteSource) -> PreviewPlaces? {
        let window = ByteWindow(source, head: ByteWindow.headSize)
        var search = PreviewSearch()
        search.take(window.whole)
        return window.failed ? nil : search.result
    }
}
