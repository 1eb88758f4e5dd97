internal import FilmgateCore

/// The Exif directories of a frame (Exif 2.32).
struct ExifBlock {
    let frame: Frame
    /// Pixels of the picture that the block describes.
    let width: Int, height: Int

    /// A whole Exif block as it stands in JPEG and HEIF, with a thumbnail directory when one is given.
    func bytes(thumbnail: [UInt8]? = nil) -> [UInt8] {
        let chain = [main()] + (thumbnail.map { [Self.thumbnail($0)] } ?? [])
        return TIFFFile.bytes(chain, bigEndian: frame.body.bigEndian)
    }

    /// IFD0.
    func main() -> TIFFDirectory {
        let body = frame.body
        var main = TIFFDirectory([
            TIFFEntry(0x010E, .ascii("Filmgate sample \(frame.number)")), TIFFEntry(0x010F, .ascii(body.make)),
            TIFFEntry(0x0110, .ascii(body.model)),
            TIFFEntry(0x0112, .short(frame.orientation)), TIFFEntry(0x011A, .rational(72, 1)),
            TIFFEntry(0x011B, .rational(72, 1)), TIFFEntry(0x0128, .short(2)), TIFFEntry(0x0131, .ascii(body.software)),
            TIFFEntry(0x0132, .ascii(day + " " + time)),
            TIFFEntry(0x013B, .ascii(body.artist)), TIFFEntry(0x0213, .short(1)),
            TIFFEntry(0x8298, .ascii("Copyright \(body.artist)")), TIFFEntry(0x8769, .directories([exposure()])),
        ])
        if let rating = frame.rating { main.set(0x4746, .short(rating)) }
        if let position = frame.position { main.set(0x8825, .directories([gps(position)])) }
        return main
    }

    private static func thumbnail(_ jpeg: [UInt8]) -> TIFFDirectory {
        TIFFDirectory([
            TIFFEntry(0x0103, .short(6)), TIFFEntry(0x011A, .rational(72, 1)), TIFFEntry(0x011B, .rational(72, 1)),
            TIFFEntry(0x0128, .short(2)),
            TIFFEntry(0x0201, .blob(jpeg)), TIFFEntry(0x0202, .long(UInt32(jpeg.count))), TIFFEntry(0x0213, .short(1)),
        ])
    }

    private func exposure() -> TIFFDirectory {
        let body = frame.body, moment = day + " " + time, offset = offset, (short, long, wide, tele) = body.lensRange
        let fraction = String(padded((frame.captured.nanosecond ?? 0) / 10_000_000, 2))
        return TIFFDirectory([
            TIFFEntry(0x829A, .rational(frame.exposure.0, frame.exposure.1)),
            TIFFEntry(0x829D, .rational(frame.aperture, 10)), TIFFEntry(0x8822, .short(3)),
            TIFFEntry(0x8827, .short(frame.iso)), TIFFEntry(0x8830, .short(2)),
            TIFFEntry(0x8832, .long(UInt32(frame.iso))), TIFFEntry(0x9000, .undefined(Array("0232".utf8))),
            TIFFEntry(0x9003, .ascii(moment)), TIFFEntry(0x9004, .ascii(moment)), TIFFEntry(0x9010, .ascii(offset)),
            TIFFEntry(0x9011, .ascii(offset)), TIFFEntry(0x9012, .ascii(offset)),
            TIFFEntry(0x9101, .undefined([1, 2, 3, 0])), TIFFEntry(0x9207, .short(5)), TIFFEntry(0x9209, .short(16)),
            TIFFEntry(0x920A, .rational(frame.focalLength, 1)), TIFFEntry(0x9290, .ascii(fraction)),
            TIFFEntry(0x9291, .ascii(fraction)), TIFFEntry(0x9292, .ascii(fraction)),
            TIFFEntry(0xA000, .undefined(Array("0100".utf8))), TIFFEntry(0xA001, .short(1)),
            TIFFEntry(0xA002, .long(UInt32(width))), TIFFEntry(0xA003, .long(UInt32(height))),
            TIFFEntry(0xA005, .directories([Self.interoperability])),
            TIFFEntry(0xA402, .short(0)), TIFFEntry(0xA403, .short(0)), TIFFEntry(0xA406, .short(0)),
            TIFFEntry(0xA430, .ascii(body.owner)), TIFFEntry(0xA431, .ascii(body.serial)),
            TIFFEntry(0xA432, .rational([short, 1, long, 1, wide, 10, tele, 10])),
            TIFFEntry(0xA433, .ascii(body.lensMake)), TIFFEntry(0xA434, .ascii(body.lensModel)),
            TIFFEntry(0xA435, .ascii(body.lensSerial)),
        ])
    }

    private static let interoperability = TIFFDirectory([
        TIFFEntry(0x0001, .ascii("R98")), TIFFEntry(0x0002, .undefined(Array("0100".utf8))),
    ])

    private func gps(_ position: Frame.Position) -> TIFFDirectory {
        let instant =
            CivilTime(unixSeconds: frame.captured.unixSeconds ?? frame.captured.civilSeconds) ?? frame.captured
        func angle(_ parts: (UInt32, UInt32, UInt32)) -> TIFFValue {
            .rational([parts.0, 1, parts.1, 1, parts.2, 100])
        }
        return TIFFDirectory([
            TIFFEntry(0, .bytes([2, 3, 0, 0])), TIFFEntry(1, .ascii("N")), TIFFEntry(2, angle(position.north)),
            TIFFEntry(3, .ascii("E")), TIFFEntry(4, angle(position.east)), TIFFEntry(5, .bytes([0])),
            TIFFEntry(6, .rational(position.metres, 1)),
            TIFFEntry(7, .rational([UInt32(instant.hour), 1, UInt32(instant.minute), 1, UInt32(instant.second), 1])),
            TIFFEntry(18, .ascii("WGS-84")),
            TIFFEntry(29, .ascii("\(padded(instant.year, 4)):\(padded(instant.month, 2)):\(padded(instant.day, 2))")),
        ])
    }

    private var day: String {
        "\(padded(frame.captured.year, 4)):\(padded(frame.captured.month, 2)):\(padded(frame.captured.day, 2))"
    }
    private var time: String {
        "\(padded(frame.captured.hour, 2)):\(padded(frame.captured.minute, 2)):\(padded(frame.captured.second, 2))"
    }
    private var offset: String {
        let minutes = frame.captured.offsetMinutes ?? 0
        return "\(minutes < 0 ? "-" : "+")\(padded(abs(minutes) / 60, 2)):\(padded(abs(minutes) % 60, 2))"
    }
}
