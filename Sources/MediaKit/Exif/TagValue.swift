import FilmgateCore

/// One value of a TIFF directory, as stored.
struct TagValue {
    let format: UInt16
    let count: Int
    let bytes: Bytes
    let order: ByteOrder

    /// ASCII and its look-alikes (UTF-8 of Exif 3, bytes, undefined): up to the first NUL, trailing blanks removed.
    ///
    /// A single number where text belongs is read as its digits.
    var text: String? {
        switch TagFormat(rawValue: format) {
        case .ascii, .byte, .undefined, .utf8: bytes.text
        default: count == 1 ? integer().map { String($0) } : nil
        }
    }

    /// The `index`th whole number; nil for fractions and text.
    func integer(_ index: Int = 0) -> Int64? {
        guard let format = TagFormat(rawValue: format), index >= 0, index < count else { return nil }
        let place = index * format.size
        switch format {
        case .byte, .undefined: return bytes[place].map { Int64($0) }
        case .signedByte: return bytes[place].map { Int64(Int8(bitPattern: $0)) }
        case .short: return bytes.u16(place, order).map { Int64($0) }
        case .signedShort: return bytes.u16(place, order).map { Int64(Int16(bitPattern: $0)) }
        case .long, .directory: return bytes.u32(place, order).map { Int64($0) }
        case .signedLong: return bytes.u32(place, order).map { Int64(Int32(bitPattern: $0)) }
        case .long8, .signedLong8, .directory8: return bytes.u64(place, order).flatMap { Int64(exactly: $0) }
        default: return nil
        }
    }

    /// The `index`th fraction; whole numbers have the denominator 1.
    func rational(_ index: Int = 0) -> Rational? {
        guard index >= 0, index < count, let format = TagFormat(rawValue: format) else { return nil }
        switch format {
        case .rational:
            guard let top = bytes.u32(index * 8, order), let bottom = bytes.u32(index * 8 + 4, order) else {
                return nil
            }
            return Rational(Int64(top), Int64(bottom))
        case .signedRational:
            guard let top = bytes.u32(index * 8, order), let bottom = bytes.u32(index * 8 + 4, order) else {
                return nil
            }
            return Rational(Int64(Int32(bitPattern: top)), Int64(Int32(bitPattern: bottom)))
        default:
            return integer(index).map { Rational($0, 1) }
        }
    }
}

/// TIFF 6.0 §2, TIFF Technical Note 1, BigTIFF, Exif 3.0.
enum TagFormat: UInt16 {
    case byte = 1
    case ascii, short, long, rational, signedByte, undefined, signedShort, signedLong, signedRational, float, double,
        directory
    case long8 = 16
    case signedLong8, directory8
    case utf8 = 129

    /// Bytes of one item.
    var size: Int {
        switch self {
        case .byte, .ascii, .signedByte, .undefined, .utf8: 1
        case .short, .signedShort: 2
        case .long, .signedLong, .float, .directory: 4
        case .rational, .signedRational, .double, .long8, .signedLong8, .directory8: 8
        }
    }
}

/// The directories that facts are taken from.
enum TagFolder { case image, exif, gps, thumbnail }

/// Whoever has read a TIFF structure: libexif for self-contained blocks, our own reader for TIFF-based files.
protocol TagSource {
    func value(_ tag: UInt16, in folder: TagFolder) -> TagValue?
}
