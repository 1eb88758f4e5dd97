/// TIFF and the RAW formats built on it.
enum TIFFFile {
    /// - Parameter wholeFile: false for a TIFF structure inside another format: then nothing is said about pixels.
    static func locate(in file: ByteRegion, wholeFile: Bool = true, into findings: inout Findings) {
        guard let reader = TIFFReader(file), let tree = TIFFTree(reader) else {
            findings.flags.insert(MediaFlag.exifDamaged)
            return
        }
        take(tree, into: &findings)
        if wholeFile, let size = tree.pixelSize { findings.pixelSize = size }
    }

    static func take(_ tree: TIFFTree, into findings: inout Findings) {
        findings.take(tree, damaged: tree.damaged)
        findings.takeMakerNote(of: tree)
        guard let first = tree.images.first else { return }
        if let entry = first[Tag.xmp], let packet = tree.reader.place(of: entry) {
            findings.takeXMP(packet.upTo(512 << 10))
        }
        if let entry = first[Tag.iptc], let records = tree.reader.place(of: entry) { findings.takeIPTC(records) }
    }
}

/// RW2: a TIFF structure of other tags; the Exif directory of the frame stands in an embedded JPEG.
enum RW2File {
    private static let top: UInt16 = 4, left: UInt16 = 5, bottom: UInt16 = 6, right: UInt16 = 7
    static let jpeg: UInt16 = 0x2E

    static func locate(in file: ByteRegion, into findings: inout Findings) {
        guard let reader = TIFFReader(file), let tree = TIFFTree(reader), let first = tree.images.first else {
            findings.flags.insert(MediaFlag.exifDamaged)
            return
        }
        if let entry = first[jpeg], let preview = reader.place(of: entry) {
            JPEGFile.locate(in: preview, into: &findings)
        }
        TIFFFile.take(tree, into: &findings)
        let edges = [top, left, bottom, right].compactMap { reader.integer($0, in: first) }
        if edges.count == 4, edges[2] > edges[0], edges[3] > edges[1], edges[2] < 1_000_000, edges[3] < 1_000_000 {
            findings.pixelSize = (Int(edges[3] - edges[1]), Int(edges[2] - edges[0]))
        }
    }
}
