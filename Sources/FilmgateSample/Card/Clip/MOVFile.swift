internal import FilmgateCore

/// A short QuickTime movie: one video track of JPEG pictures, media data first, as cameras write it.
struct MOVFile {
    let body: SampleBody
    let captured: CivilTime
    let width: Int, height: Int
    /// Whole JPEG files, shown for a tenth of a second each.
    let pictures: [[UInt8]]

    private static let timescale: UInt32 = 1000, pace: UInt32 = 100
    private var duration: UInt32 { UInt32(pictures.count) * Self.pace }
    /// Seconds since 1904, UTC (QuickTime File Format, "Calendar date and time values").
    private var created: UInt32 {
        UInt32(truncatingIfNeeded: (captured.unixSeconds ?? captured.civilSeconds) + 2_082_844_800)
    }

    func bytes() -> [UInt8] {
        let type = Box.box("ftyp", Box.text("qt  "), Box.u32(0x2009_0100), Box.text("qt  "))
        return type + Box.box("mdat", pictures.flatMap { $0 })
            + Box.box("moov", movieHeader(), track(dataAt: type.count + 8), metadata())
    }

    private static let unity: [UInt8] = Box.u32(0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000)

    private func movieHeader() -> [UInt8] {
        Box.full(
            "mvhd", Box.u32(created, created, Self.timescale, duration, 0x1_0000), Box.u16(0x100),
            Box.u16(0, 0, 0, 0, 0), Self.unity, Box.u32(0, 0, 0, 0, 0, 0, 2))
    }

    private func track(dataAt offset: Int) -> [UInt8] {
        let header = Box.full(
            "tkhd", flags: 7, Box.u32(created, created, 1, 0, duration, 0, 0), Box.u16(0, 0, 0, 0), Self.unity,
            Box.u32(UInt32(width) << 16, UInt32(height) << 16))
        let mediaHeader = Box.full("mdhd", Box.u32(created, created, Self.timescale, duration), Box.u16(0x55C4, 0))
        let reference = Box.box("dinf", Box.full("dref", Box.u32(1), Box.full("url ", flags: 1)))
        let information = Box.box(
            "minf", Box.full("vmhd", flags: 1, Box.u16(0, 0, 0, 0)), handler("dhlr", "url ", ""), reference,
            sampleTable(dataAt: offset))
        return Box.box("trak", header, Box.box("mdia", mediaHeader, handler("mhlr", "vide", "Video"), information))
    }

    private func handler(_ component: String, _ type: String, _ name: String) -> [UInt8] {
        Box.full(
            "hdlr", Box.text(component), Box.text(type), Box.u32(0, 0, 0), [UInt8(name.utf8.count)], Box.text(name))
    }

    private func sampleTable(dataAt offset: Int) -> [UInt8] {
        let count = UInt32(pictures.count)
        let codec = Box.box(
            "jpeg", Box.u16(0, 0, 0, 1, 0, 0), Box.u32(0, 0, 0x200), Box.u16(UInt16(width), UInt16(height)),
            Box.u32(0x48_0000, 0x48_0000, 0),
            Box.u16(1), [12], Box.text("Photo - JPEG"), [UInt8](repeating: 0, count: 19), Box.u16(24, 0xFFFF))
        return Box.box(
            "stbl", Box.full("stsd", Box.u32(1), codec), Box.full("stts", Box.u32(1, count, Self.pace)),
            Box.full("stsc", Box.u32(1, 1, count, 1)),
            Box.full("stsz", Box.u32(0, count), pictures.flatMap { Box.u32(UInt32($0.count)) }),
            Box.full("stco", Box.u32(1, UInt32(offset))))
    }

    /// QuickTime metadata keys: make, model and the date with its offset.
    private func metadata() -> [UInt8] {
        let pairs = [("make", body.make), ("model", body.model), ("software", body.software), ("creationdate", stamp)]
        let keys = pairs.map { Box.box("mdta", Box.text("com.apple.quicktime.\($0.0)")) }
        let items = pairs.enumerated().map { index, pair in
            let data = Box.box("data", Box.u32(1, 0), Box.text(pair.1))
            return Box.u32(UInt32(data.count + 8), UInt32(index + 1)) + data
        }
        let handler = Box.full("hdlr", Box.u32(0), Box.text("mdta"), Box.u32(0, 0, 0), [0])
        return Box.box(
            "meta", handler, Box.full("keys", Box.u32(UInt32(pairs.count)), keys.flatMap { $0 }),
            Box.box("ilst", items.flatMap { $0 }))
    }

    /// The date as QuickTime writes it: whole seconds, offset without a colon.
    private var stamp: String {
        let minutes = captured.offsetMinutes ?? 0
        return "\(padded(captured.year, 4))-\(padded(captured.month, 2))-\(padded(captured.day, 2))"
            + "T\(padded(captured.hour, 2)):\(padded(captured.minute, 2)):\(padded(captured.second, 2))"
            + "\(minutes < 0 ? "-" : "+")\(padded(abs(minutes) / 60, 2))\(padded(abs(minutes) % 60, 2))"
    }
}
