import PreviewWire

/// How large a picture is made for looking.
public enum PreviewSize: String, Sendable, Hashable, CaseIterable {
    /// For a place in a list.
    case thumbnail
    /// For a screen.
    case preview
    /// All pixels of the largest one that the file holds, for judging how sharp it is.
    ///
    /// It is not turned: its Exif says how a browser turns it. It is never kept, as one takes the room of a hundred
    /// others.
    case full

    /// Pixels at most.
    public var longEdge: Int {
        switch self {
        case .thumbnail: 256
        case .preview: 1600
        case .full: PreviewRequest.longestEdge
        }
    }
    /// 1…100, of the JPEG.
    var quality: Int {
        switch self {
        case .thumbnail: 82
        case .preview: 80
        case .full: 92
        }
    }
    /// Pixels of the long edge from which on a picture in a file will do, so that no larger one is decoded.
    var enough: Int {
        switch self {
        case .thumbnail: 120
        case .preview: 1200
        case .full: PreviewRequest.longestEdge
        }
    }
    /// Whether it is kept on the disk.
    public var isKept: Bool { self != .full }
    /// Whether its pixels are turned when it is made: for that the process needs twice the memory.
    var isTurned: Bool { self != .full }
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
