/// Tag numbers of TIFF 6.0, TIFF/EP, Exif 2.32/3.0, DNG 1.7 and XMP in TIFF.
enum Tag {
    static let subfileType: UInt16 = 0x00FE, width: UInt16 = 0x0100, height: UInt16 = 0x0101
    static let compression: UInt16 = 0x0103
    static let photometric: UInt16 = 0x0106
    static let make: UInt16 = 0x010F, model: UInt16 = 0x0110, orientation: UInt16 = 0x0112
    static let stripOffsets: UInt16 = 0x0111, stripByteCounts: UInt16 = 0x0117
    static let tileOffsets: UInt16 = 0x0144, tileByteCounts: UInt16 = 0x0145
    static let jpegOffset: UInt16 = 0x0201, jpegLength: UInt16 = 0x0202
    static let dateTime: UInt16 = 0x0132, artist: UInt16 = 0x013B
    static let subDirectories: UInt16 = 0x014A, xmp: UInt16 = 0x02BC, rating: UInt16 = 0x4746, iptc: UInt16 = 0x83BB
    static let exifPointer: UInt16 = 0x8769, gpsPointer: UInt16 = 0x8825, interoperabilityPointer: UInt16 = 0xA005
    static let exposureTime: UInt16 = 0x829A, fNumber: UInt16 = 0x829D
    static let iso: UInt16 = 0x8827, standardSensitivity: UInt16 = 0x8831, recommendedIndex: UInt16 = 0x8832
    static let isoSpeed: UInt16 = 0x8833
    static let dateTimeOriginal: UInt16 = 0x9003, dateTimeDigitized: UInt16 = 0x9004
    static let offsetTime: UInt16 = 0x9010, offsetTimeOriginal: UInt16 = 0x9011, offsetTimeDigitized: UInt16 = 0x9012
    static let subSecond: UInt16 = 0x9290, subSecondOriginal: UInt16 = 0x9291, subSecondDigitized: UInt16 = 0x9292
    static let focalLength: UInt16 = 0x920A, imageNumber: UInt16 = 0x9211, makerNote: UInt16 = 0x927C
    static let pixelWidth: UInt16 = 0xA002, pixelHeight: UInt16 = 0xA003
    static let owner: UInt16 = 0xA430, serial: UInt16 = 0xA431, lensModel: UInt16 = 0xA434, lensSerial: UInt16 = 0xA435
    static let dngSerial: UInt16 = 0xC62F, dngPrivateData: UInt16 = 0xC634
}
