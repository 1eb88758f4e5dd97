/// What the program asks of the process that decodes pictures; the JPEG's bytes follow it.
///
/// On the wire, little-endian: length of the JPEG (u32), width and height of the media (u32), long edge (u16), quality,
/// orientation (u8).
public struct PreviewRequest: Sendable, Hashable {
    public static let size = 16
    /// Neither side takes a longer JPEG.
    public static let mostBytes = 64 << 20
    /// No JPEG has more pixels on an edge: who asks for so many gets all that there are.
    public static let longestEdge = 65_535

    /// Bytes of the JPEG that follows.
    public var length: Int
    /// Pixels of the media that it shows, before rotation, or 0: where those have another shape, black bars are cut.
    public var width = 0, height = 0
    /// Pixels of the long edge that the picture has at most.
    public var longEdge: Int
    /// 1…100, of the JPEG that comes back.
    public var quality: Int
    /// 1…8, Exif 0x0112.
    public var orientation = 1

    public init(length: Int, longEdge: Int, quality: Int) {
        (self.length, self.longEdge, self.quality) = (length, longEdge, quality)
    }

    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(little: length, 4)
        bytes.append(little: width, 4)
        bytes.append(little: height, 4)
        bytes.append(little: longEdge, 2)
        bytes.append(little: quality, 1)
        bytes.append(little: orientation, 1)
        return bytes
    }

    /// `malformed` unless every number is one that can be meant.
    public init(_ bytes: [UInt8]) throws(PreviewStream.Failure) {
        guard bytes.count == Self.size else { throw .malformed }
        length = bytes.little(0, 4)
        (width, height) = (bytes.little(4, 4), bytes.little(8, 4))
        (longEdge, quality, orientation) = (bytes.little(12, 2), bytes.little(14, 1), bytes.little(15, 1))
        guard (1...Self.mostBytes).contains(length), (16...Self.longestEdge).contains(longEdge),
            (1...100).contains(quality),
            (1...8).contains(orientation), (0...1_000_000).contains(width), (0...1_000_000).contains(height)
        else { throw .malformed }
    }
}

/// What it answers; the JPEG that it made follows.
///
/// On the wire, little-endian: length (u32), microseconds of processor time (u32), width and height (u16), outcome
/// (u8), three bytes of 0.
public struct PreviewReply: Sendable, Hashable {
    public enum Outcome: UInt8, Sendable, Hashable {
        case done = 1
        /// A part was missing or damaged; what could be decoded is there.
        case damaged
        /// No picture came of these bytes.
        case undecodable
        /// It has more pixels or scans than are taken, or needs more memory.
        case tooLarge
    }
    public static let size = 16
    /// Neither side takes a longer JPEG.
    public static let mostBytes = 48 << 20

    public var outcome: Outcome
    /// Bytes of the JPEG that follows; 0 where there is none.
    public var length = 0
    public var width = 0, height = 0
    /// Processor time that it took.
    public var microseconds = 0

    public init(_ outcome: Outcome) { self.outcome = outcome }

    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(little: length, 4)
        bytes.append(little: min(microseconds, Int(UInt32.max)), 4)
        bytes.append(little: width, 2)
        bytes.append(little: height, 2)
        bytes.append(little: Int(outcome.rawValue), 4)
        return bytes
    }

    public init(_ bytes: [UInt8]) throws(PreviewStream.Failure) {
        guard bytes.count == Self.size, let code = UInt8(exactly: bytes.little(12, 4)),
            let outcome = Outcome(rawValue: code)
        else {
            throw .malformed
        }
        self.outcome = outcome
        (length, microseconds) = (bytes.little(0, 4), bytes.little(4, 4))
        (width, height) = (bytes.little(8, 2), bytes.little(10, 2))
        let isThere = outcome == .done || outcome == .damaged
        guard isThere ? (1...Self.mostBytes).contains(length) && width > 0 && height > 0 : length == 0 else {
            throw .malformed
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(little value: Int, _ width: Int) {
        for step in 0..<width { append(UInt8(truncatingIfNeeded: value >> (8 * step))) }
    }

    fileprivate func little(_ offset: Int, _ width: Int) -> Int {
        (0..<width).reduce(0) { $0 | Int(self[offset + $1]) << (8 * $1) }
    }
}
