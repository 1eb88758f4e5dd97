/// What a request carries: bytes from memory and from files, one after the other, with a length known beforehand.
///
/// Files are read while they are sent, never loaded. The same body can be sent again.
public struct HTTPBody: Sendable {
    public enum Piece: Sendable, Hashable {
        case bytes([UInt8])
        case file(FileSlice)

        var length: UInt64 {
            switch self {
            case .bytes(let bytes): UInt64(bytes.count)
            case .file(let slice): slice.length
            }
        }
    }
    public var pieces: [Piece]
    /// Value of `Content-Type`; nil sends none.
    public var type: String?

    public init(_ pieces: [Piece], type: String?) { (self.pieces, self.type) = (pieces, type) }

    public static func bytes(_ bytes: [UInt8], type: String? = nil) -> HTTPBody {
        HTTPBody([.bytes(bytes)], type: type)
    }
    public static func text(_ text: String, type: String) -> HTTPBody {
        HTTPBody([.bytes(Array(text.utf8))], type: type)
    }
    public static func file(_ slice: FileSlice, type: String? = nil) -> HTTPBody {
        HTTPBody([.file(slice)], type: type)
    }

    /// Bytes.
    public var length: UInt64 { pieces.reduce(0) { $0 + $1.length } }
}

/// A part of a file, or all of it, and what its bytes are known to be.
public struct FileSlice: Sendable, Hashable {
    public var path: String
    /// Bytes from the file's start, and how many.
    public var offset: UInt64, length: UInt64
    /// What the whole file must measure when it is opened.
    public var fileSize: UInt64
    /// SHA-256 of the slice, lower-case hexadecimal.
    ///
    /// Where given, the last bytes only leave when all of them agree with it.
    public var sha256: String?
    /// XXH128 of the slice, lower-case hexadecimal: where given, this is what is compared, at a tenth of the price.
    ///
    /// It was computed in the same pass as the SHA-256, and tells as well whether the file still holds those bytes.
    public var xxh128: String?

    /// A whole file.
    public init(path: String, size: UInt64, sha256: String? = nil, xxh128: String? = nil) {
        (self.path, offset, length, fileSize, self.sha256, self.xxh128) = (path, 0, size, size, sha256, xxh128)
    }

    /// A range of a file; `offset + length` must not exceed `fileSize`.
    public init(path: String, offset: UInt64, length: UInt64, of fileSize: UInt64, sha256: String? = nil) {
        (self.path, self.offset, self.length, self.fileSize, self.sha256) = (path, offset, length, fileSize, sha256)
    }
}
