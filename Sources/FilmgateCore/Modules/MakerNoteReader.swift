/// Reads what a make's bodies write into the maker notes of their files, whether these come from a card, a folder or a
/// camera.
///
/// A camera module brings its make's along; the program gives all of them to the stages as services.
public protocol MakerNoteReader: Sendable {
    /// Whether files whose Exif names this make carry its notes.
    func reads(make: String) -> Bool
    /// What the note says; empty where it says nothing.
    ///
    /// Every byte is hostile: never traps, always ends. What Exif itself says wins over it. Ratings are 1…5; a frame
    /// that nobody has rated has none.
    func facts(in note: MakerNote, model: String) -> MediaFacts
    /// Names of makes by the number that AVCHD clips carry instead of one. Default: none.
    var clipMakes: [Int: String] { get }
}

extension MakerNoteReader {
    public var clipMakes: [Int: String] { [:] }
}

/// A maker note in its file.
public struct MakerNote {
    /// Where the note begins in the structure that holds it: some makes count their offsets from the beginning of that.
    public let start: Int
    /// Bytes, as its entry says.
    public let count: Int
    /// The byte order of that structure.
    public let isLittleEndian: Bool
    private let read: (_ offset: Int, _ count: Int) -> [UInt8]?

    /// - Parameter read: exactly so many bytes of the structure, or nil where it has not as many.
    public init(start: Int, count: Int, isLittleEndian: Bool, read: @escaping (_ offset: Int, _ count: Int) -> [UInt8]?)
    {
        (self.start, self.count, self.isLittleEndian, self.read) = (start, count, isLittleEndian, read)
    }

    /// A note that stands alone, for tests.
    public init(_ bytes: [UInt8], isLittleEndian: Bool = true) {
        self.init(start: 0, count: bytes.count, isLittleEndian: isLittleEndian) { offset, count in
            count <= bytes.count && offset <= bytes.count - count ? Array(bytes[offset..<offset + count]) : nil
        }
    }

    /// Exactly `count` bytes (up to 64 KiB) from `offset` on, counted from the note's beginning; it may lie before
    /// that, or behind the end.
    public func bytes(_ offset: Int, _ count: Int) -> [UInt8]? {
        let (place, overflow) = start.addingReportingOverflow(offset)
        guard !overflow, place >= 0, (0...65_536).contains(count) else { return nil }
        return read(place, count)
    }

    /// What offsets count from, where they count from the beginning of the structure around the note.
    public var outside: Int { -start }

    /// True when the note begins with these bytes.
    public func begins(with text: String) -> Bool { bytes(0, text.utf8.count) == Array(text.utf8) }

    /// A whole number of up to eight bytes; in the structure's byte order unless said otherwise.
    public func number(_ offset: Int, _ width: Int, isLittleEndian: Bool? = nil) -> Int? {
        guard (1...8).contains(width), let bytes = bytes(offset, width) else { return nil }
        let ordered = isLittleEndian ?? self.isLittleEndian ? bytes.reversed() : bytes
        return Int(exactly: ordered.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
