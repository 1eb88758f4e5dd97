/// A JPEG with a stamp in it, as the beginning that replaces the file's own, and where the file goes on unchanged.
public struct StampedJPEG: Sendable {
    /// Everything before the picture data.
    public let head: [UInt8]
    /// Where in the original file the picture data begin; from there to its end every byte is as it was.
    public let rest: UInt64

    /// No file needs a longer beginning.
    public static let longestHead = 32 << 20

    /// `beginning` is the file's, long enough to hold all that stands before the picture data; nil when it is not.
    ///
    /// Throws for what cannot be stamped without losing something: damaged segments, unreadable or doubled XMP, broken
    /// IPTC.
    public init?(_ beginning: [UInt8], _ stamp: Stamp) throws(StampFault) {
        guard let head = try JPEGHead(beginning) else { return nil }
        let packet = try XMPSegments(head, stamp), resources = try Self.resources(head, stamp)
        let lead = head.segments.prefix { $0.leads }, tail = head.segments.dropFirst(lead.count)
        var result: [UInt8] = [0xFF, 0xD8]
        for segment in lead { result += segment.bytes }
        for segment in packet.segments { result += segment.bytes }
        for segment in resources { result += segment.bytes }
        var multi: (at: Int, offset: Int)?
        for segment in tail where !segment.isXMP && !segment.isPhotoshop {
            if segment.isMultiPicture, multi == nil { multi = (result.count, segment.offset) }
            result += segment.bytes
        }
        if let multi { Self.mend(&result, multi.at, moved: multi.at - multi.offset, rest: result.count - head.end) }
        (self.head, rest) = (result, UInt64(head.end))
    }

    private static func resources(_ head: JPEGHead, _ stamp: Stamp) throws(StampFault) -> [JPEGHead.Segment] {
        let name = JPEGHead.Segment.photoshopName
        let old = head.segments.filter(\.isPhotoshop).flatMap { $0.body.dropFirst(name.count) }
        var resources = try ImageResources(old)
        try resources.apply(stamp)
        return resources.bytes.chunked(65_533 - name.count).map {
            JPEGHead.Segment(marker: JPEGHead.app13, body: name + $0, offset: 0, size: 0)
        }
    }

    /// A file of several pictures lists where the others stand, counted from that list: both have moved, not equally.
    private static func mend(_ head: inout [UInt8], _ segment: Int, moved: Int, rest: Int) {
        let start = segment + 4 + JPEGHead.Segment.multiName.count
        guard
            var index = MultiPictureIndex(
                head, at: start, end: segment + 2 + (Int(head[segment + 2]) << 8 | Int(head[segment + 3])))
        else {
            return
        }
        index.move(&head, others: rest - moved, first: rest)
    }
}

extension Array where Element == UInt8 {
    func chunked(_ size: Int) -> [[UInt8]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
