/// A stand-in for a RAW file: a valid TIFF with preview, Exif and an uncompressed Bayer mosaic in a sub-directory.
enum RawStandIn {
    static func bytes(_ frame: Frame, scene: Scene, preview: [UInt8], width: Int, height: Int) -> [UInt8] {
        var main = ExifBlock(frame: frame, width: width, height: height).main()
        main.set(0x00FE, .long(1))
        let order = frame.body.bigEndian
        let raw = rawDirectory(
            mosaic(scene, width: width, height: height, bigEndian: order), width: width, height: height)
        if frame.body.rawExtension == "CR2" {
            for entry in previewEntries(preview) { main.set(entry.tag, entry.value) }
            return TIFFFile.bytes([main, raw], bigEndian: order, signature: .cr2)
        }
        for entry in thumbnailEntries(scene) { main.set(entry.tag, entry.value) }
        main.set(0x014A, .directories([TIFFDirectory([TIFFEntry(0x00FE, .long(1))] + previewEntries(preview)), raw]))
        return TIFFFile.bytes([main], bigEndian: order)
    }

    /// A JPEG to look at.
    private static func previewEntries(_ jpeg: [UInt8]) -> [TIFFEntry] {
        [TIFFEntry(0x0103, .short(6)), TIFFEntry(0x0201, .blob(jpeg)), TIFFEntry(0x0202, .long(UInt32(jpeg.count)))]
    }

    /// A small uncompressed RGB picture, the main directory's own in most makes' files.
    private static func thumbnailEntries(_ scene: Scene) -> [TIFFEntry] {
        let (width, height) = (60, 40)
        let pixels = (0..<width * height).flatMap { index in
            let colour = scene.colour(
                Float(index % width) / Float(width), Float(index / width) / Float(height), aspect: 1.5)
            return [colour.red, colour.green, colour.blue].map { UInt8(min(max($0, 0), 1) * 255) }
        }
        return [
            TIFFEntry(0x0100, .long(UInt32(width))), TIFFEntry(0x0101, .long(UInt32(height))),
            TIFFEntry(0x0102, .short([8, 8, 8])), TIFFEntry(0x0103, .short(1)), TIFFEntry(0x0106, .short(2)),
            TIFFEntry(0x0111, .blob(pixels)), TIFFEntry(0x0115, .short(3)), TIFFEntry(0x0116, .long(UInt32(height))),
            TIFFEntry(0x0117, .long(UInt32(pixels.count))), TIFFEntry(0x011C, .short(1)),
        ]
    }

    /// TIFF/EP (ISO 12234-2): one strip of 16-bit samples under a red-green / green-blue filter.
    static func rawDirectory(_ mosaic: [UInt8], width: Int, height: Int) -> TIFFDirectory {
        TIFFDirectory([
            TIFFEntry(0x00FE, .long(0)), TIFFEntry(0x0100, .long(UInt32(width))),
            TIFFEntry(0x0101, .long(UInt32(height))), TIFFEntry(0x0102, .short(16)), TIFFEntry(0x0103, .short(1)),
            TIFFEntry(0x0106, .short(32803)), TIFFEntry(0x0111, .blob(mosaic)), TIFFEntry(0x0112, .short(1)),
            TIFFEntry(0x0115, .short(1)), TIFFEntry(0x0116, .long(UInt32(height))),
            TIFFEntry(0x0117, .long(UInt32(mosaic.count))), TIFFEntry(0x011C, .short(1)),
            TIFFEntry(0x828D, .short([2, 2])), TIFFEntry(0x828E, .bytes([0, 1, 1, 2])),
        ])
    }

    private static func mosaic(_ scene: Scene, width: Int, height: Int, bigEndian: Bool) -> [UInt8] {
        var out = ByteWriter(bigEndian: bigEndian)
        let edges = (0..<width).map { scene.edges(at: Float($0) / Float(width)) }
        for y in 0..<height {
            let v = Float(y) / Float(height), shades = scene.shades(at: v)
            for x in 0..<width {
                let colour = shades[(edges[x].lastIndex { v > $0 } ?? -1) + 1]
                let level = (x + y) % 2 == 1 ? colour.green : y % 2 == 0 ? colour.red : colour.blue
                out.put(UInt16(min(max(level, 0), 1) * 16_383))
            }
        }
        return out.bytes
    }
}
