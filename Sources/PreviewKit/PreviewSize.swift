/// How large a picture is made for looking.
public enum PreviewSize: String, Sendable, Hashable, CaseIterable {
    /// For a place in a list.
    case thumbnail
    /// For a screen.
    case preview

    /// Pixels at most.
    public var longEdge: Int { self == .thumbnail ? 256 : 1600 }
    /// 1…100, of the JPEG.
    var quality: Int { self == .thumbnail ? 82 : 80 }
    /// Pixels of the long edge from which on a picture in a file will do, so that no larger one is decoded.
    var enough: Int { self == .thumbnail ? 120 : 1200 }
}

/// Names one picture: of which content, and how large.
public struct PreviewKey: Sendable, Hashable {
    public let sha256: String, size: PreviewSize

    /// Rises when the same bytes give another picture.
    public static let version = 1

    /// Nil unless `sha256` is one: it becomes a part of a file's name.
    public init?(sha256: String, _ size: PreviewSize) {
        let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) }
        guard sha256.utf8.count == 64, sha256.utf8.allSatisfy(isDigit) else { return nil }
        (self.sha256, self.size) = (sha256, size)
    }

    /// Equal for equal pictures, and for nothing else.
    public var tag: String { "\(sha256)-\(size.rawValue)-\(Self.version)" }
}

/// A copy of a file, where the ledger says that it lies.
public struct PreviewSource: Sendable, Hashable {
    /// A folder that was written down, absolute; the file is only looked for below it.
    public var root: String
    public var path: String
    /// Bytes; a file of another size is another file.
    public var size: UInt64
    /// Nanoseconds since 1970; nil where the time says nothing.
    public var modified: Int64?

    public init(root: String, path: String, size: UInt64, modified: Int64? = nil) {
        (self.root, self.path, self.size, self.modified) = (root, path, size, modified)
    }
}
