import FilmgateCore

/// QuickTime, MP4 and CR3: everything but the frames stands in `moov`.
///
/// The time of recording, best first: a key with its offset (`com.apple.quicktime.creationdate`), the camera's own
/// non-real-time metadata, an embedded Exif block, the user data's day, XMP, and last the movie header, which counts
/// UTC by the standard (ISO/IEC 14496-12 §8.2.2).
enum MovieFile {
    static func locate(in file: ByteRegion, into findings: inout Findings) {
        let top = Box.all(in: file)
        let movie = top["moov"]?.children() ?? []
        let userData = movie["udta"]?.children() ?? []
        for meta in [movie["meta"], userData["meta"]].compactMap({ $0 }) { findings.take(MovieKeys.facts(in: meta)) }
        if let text = top["meta"]?.children(from: 4)["xml "] {
            findings.take { NonRealTimeMeta.fill(&$0, from: text.body.upTo(128 << 10)) }
        }
        for box in movie where box.type == "uuid" { MovieBlocks.takeUUID(box, into: &findings) }
        for box in userData { MovieBlocks.takeUserData(box, into: &findings) }
        for box in top + movie where box.type == "uuid" && box.uuid == JP2File.xmpUUID {
            findings.takeXMP(box.body.upTo(512 << 10))
        }
        findings.take(UserText.facts(in: userData))
        if let header = movie["mvhd"] { take(header.body, into: &findings) }
        let sizes = movie.filter { $0.type == "trak" }.compactMap {
            $0.children()["tkhd"].flatMap { trackSize($0.body) }
        }
        if findings.facts.width == nil, let size = sizes.max(by: { $0.width * $0.height < $1.width * $1.height }) {
            findings.pixelSize = size
        }
    }

    /// Seconds from 1904-01-01 to 1970-01-01.
    static let epoch: UInt64 = 2_082_844_800

    private static func take(_ header: ByteRegion, into findings: inout Findings) {
        guard let version = header.upTo(1)[0] else { return }
        let long = version == 1
        let created = long ? header.u64(4, .big) : header.u32(4, .big).map(UInt64.init)
        let scale = header.u32(long ? 20 : 12, .big) ?? 0
        let length = long ? header.u64(24, .big) : header.u32(16, .big).map(UInt64.init)
        let unknown = long ? UInt64.max : UInt64(UInt32.max)
        if scale > 0, let length, length > 0, length < unknown, length / UInt64(scale) < 1 << 26 {
            findings.take { $0.duration = Double(length) / Double(scale) }
        }
        guard let created, created > 0, created < 1 << 40 else { return }
        // Some cameras count from 1970.
        findings.takeUTC(
            CivilTime(unixSeconds: created >= epoch ? Int64(created - epoch) : Int64(created), offsetMinutes: 0))
    }

    /// Width and height of a track, 16.16 fixed point.
    private static func trackSize(_ header: ByteRegion) -> (width: Int, height: Int)? {
        let place: UInt64 = header.upTo(1)[0] == 1 ? 88 : 76
        guard let width = header.u32(place, .big), let height = header.u32(place + 4, .big), width >> 16 > 0,
            height >> 16 > 0
        else {
            return nil
        }
        return (Int(width >> 16), Int(height >> 16))
    }
}
