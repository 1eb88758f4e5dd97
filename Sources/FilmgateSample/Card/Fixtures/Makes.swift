internal import FilmgateCore

// What the sample card holds, as data: three bodies, their frames, and what lies beside them.

extension SampleBody {
    static let first = SampleBody(
        make: "Canon", model: "Canon EOS 5D Mark IV", serial: "042021004567", software: "Firmware Version 1.3.3",
        owner: "Ann Berg", artist: "Ann Berg", lensMake: "Canon", lensModel: "EF24-70mm f/2.8L II USM",
        lensSerial: "0000c15f27", lensRange: (24, 70, 28, 28),
        bigEndian: false, folder: "100CANON", rawExtension: "CR2")
    static let second = SampleBody(
        make: "NIKON CORPORATION", model: "NIKON D850", serial: "6021337", software: "Ver.1.20", owner: "Bo Lund",
        artist: "Bo Lund", lensMake: "NIKON", lensModel: "AF-S NIKKOR 70-200mm f/2.8E FL ED VR", lensSerial: "20417733",
        lensRange: (70, 200, 28, 28),
        bigEndian: true, folder: "101ND850", rawExtension: "NEF")
    static let third = SampleBody(
        make: "SONY", model: "ILCE-7M4", serial: "5340077", software: "ILCE-7M4 v2.00", owner: "Chiara Neri",
        artist: "Chiara Neri", lensMake: "SONY", lensModel: "FE 35mm F1.4 GM", lensSerial: "1830452",
        lensRange: (35, 35, 14, 14), bigEndian: false, folder: "102MSDCF", rawExtension: "ARW")
}

extension Frame {
    /// All on one day.
    static let wedding: [Frame] = rows.compactMap(\.self)

    private static let rows: [Frame?] = [
        Frame(body: .first, number: 1, at: (13, 4, 7, 12), exposure: (1, 500), aperture: 28, iso: 100, focalLength: 35),
        Frame(
            body: .first, number: 2, at: (13, 4, 9, 87), exposure: (1, 400), aperture: 40, iso: 200, focalLength: 70,
            rating: 4, position: Position(north: (59, 54, 4977), east: (10, 44, 2048), metres: 12)),
        Frame(
            body: .first, number: 3, at: (13, 11, 30, 3), exposure: (1, 60), aperture: 28, iso: 1600, focalLength: 24,
            orientation: 6),
        Frame(
            body: .second, number: 101, at: (14, 20, 0, 50), exposure: (1, 1000), aperture: 28, iso: 64,
            focalLength: 135),
        Frame(
            body: .second, number: 102, at: (14, 20, 0, 90), exposure: (1, 1000), aperture: 28, iso: 64,
            focalLength: 200, position: Position(north: (59, 54, 5110), east: (10, 44, 1985), metres: 9)),
        Frame(
            body: .third, number: 201, at: (21, 47, 15, 25), exposure: (1, 30), aperture: 14, iso: 6400, focalLength: 35
        ),
        Frame(
            body: .third, number: 202, at: (21, 47, 58, 75), exposure: (1, 25), aperture: 14, iso: 12_800,
            focalLength: 35, rating: 2),
    ]
}

/// One file of the sample card: where it lies, which frame it belongs to, and what it is.
struct SampleItem {
    enum Content { case jpeg, raw, heic, movie, memo, sidecar(of: String, rating: Int), truncated, junk([UInt8]) }
    var path: String, frame: Int, content: Content
    init(_ path: String, _ frame: Int, _ content: Content) {
        (self.path, self.frame, self.content) = (path, frame, content)
    }

    static let card: [SampleItem] = [
        SampleItem("DCIM/100CANON/IMG_0001.JPG", 0, .jpeg), SampleItem("DCIM/100CANON/IMG_0001.CR2", 0, .raw),
        SampleItem("DCIM/100CANON/IMG_0001.WAV", 0, .memo), SampleItem("DCIM/100CANON/IMG_0002.JPG", 1, .jpeg),
        SampleItem("DCIM/100CANON/IMG_0002.CR2", 1, .raw),
        SampleItem("DCIM/100CANON/IMG_0002.XMP", 1, .sidecar(of: "IMG_0002.CR2", rating: 4)),
        SampleItem("DCIM/100CANON/IMG_0003.JPG", 2, .jpeg), SampleItem("DCIM/100CANON/MVI_0004.MOV", 2, .movie),
        SampleItem("DCIM/101ND850/DSC_0101.JPG", 3, .jpeg), SampleItem("DCIM/101ND850/DSC_0101.NEF", 3, .raw),
        SampleItem("DCIM/101ND850/DSC_0102.JPG", 4, .jpeg), SampleItem("DCIM/101ND850/DSC_0103.JPG", 4, .jpeg),
        SampleItem("DCIM/102MSDCF/DSC00201.JPG", 5, .jpeg), SampleItem("DCIM/102MSDCF/DSC00201.ARW", 5, .raw),
        SampleItem("DCIM/102MSDCF/DSC00202.HEIC", 6, .heic), SampleItem("DCIM/102MSDCF/DSC00203.JPG", 6, .truncated),
        SampleItem("DCIM/102MSDCF/Blåbær på fjellet 🏔.JPG", 6, .jpeg),
        SampleItem(".Trashes/501/IMG_0000.JPG", 0, .junk([])),
        SampleItem("DCIM/Thumbs.db", 0, .junk([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1])),
        SampleItem("DCIM/100CANON/._IMG_0001.JPG", 0, .junk([0, 5, 0x16, 7, 0, 2, 0, 0])),
    ]
}
