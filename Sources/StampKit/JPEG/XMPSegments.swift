import CryptographyKit
import FilmgateCore

/// The XMP segments of a stamped JPEG: one standard packet, and where it would not fit, an extension (XMP
/// specification, part 3, §1.1.3.1).
struct XMPSegments {
    private(set) var segments: [JPEGHead.Segment] = []

    private static let longestPacket = 65_533 - JPEGHead.Segment.xmpName.count
    private static let longestPart = 65_400

    init(_ head: JPEGHead, _ stamp: Stamp) throws(StampFault) {
        let old = head.segments.filter(\.isXMP)
        guard old.count <= 1 else { throw StampFault("it holds more than one XMP packet") }
        let packet = old.first.map { Array($0.body.dropFirst(JPEGHead.Segment.xmpName.count)) }
        let tree = if let packet { try XMPTree(packet) } else { try XMPTree.empty() }
        tree.apply(stamp)
        var bytes = tree.packet(writable: true)
        if bytes.count > Self.longestPacket {
            guard let packet, !head.segments.contains(where: \.isExtendedXMP),
                tree.values(XMPProperty.hasExtended).isEmpty
            else {
                throw StampFault("its XMP has no room left")
            }
            bytes = try Self.split(packet, stamp, into: &segments)
        }
        segments.insert(
            JPEGHead.Segment(marker: JPEGHead.app1, body: JPEGHead.Segment.xmpName + bytes, offset: 0, size: 0), at: 0)
    }

    private static let names = [
        XMPProperty.creator, XMPProperty.copyright, XMPProperty.marked, XMPProperty.caption, XMPProperty.event,
        XMPProperty.created, XMPProperty.keywords,
    ]

    /// What was there goes into the extension, whole; what the stamp says goes into the packet, with the extension's
    /// name.
    private static func split(
        _ packet: [UInt8], _ stamp: Stamp, into segments: inout [JPEGHead.Segment]
    ) throws(StampFault) -> [UInt8] {
        let before = try XMPTree(packet), old = try XMPTree(packet), new = try XMPTree.empty()
        old.apply(stamp)
        for name in names where stamp.replaces || name == XMPProperty.keywords || before.values(name).isEmpty {
            new.set(name, old.values(name))
            old.remove(name)
        }
        if !stamp.mark.isEmpty {
            for name in XMPProperty.marks where !old.values(name).isEmpty {
                new.set(name, old.values(name))
                old.remove(name)
            }
        }
        let data = old.bare, digits = Array("0123456789ABCDEF".utf8)
        let guid = RunningHash.digest(of: data, .md5).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        new.set(XMPProperty.hasExtended, [String(decoding: guid, as: UTF8.self)])
        var at = 0
        for part in data.chunked(longestPart) {
            let numbers = [data.count, at].flatMap { number in
                (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
            }
            let body = JPEGHead.Segment.extensionName + guid + numbers + part
            segments.append(JPEGHead.Segment(marker: JPEGHead.app1, body: body, offset: 0, size: 0))
            at += part.count
        }
        let result = new.packet(writable: true)
        guard result.count <= longestPacket else { throw StampFault("the stamp is too long for a JPEG") }
        return result
    }
}
