/// Baseline JPEG, 4:2:0, with the tables that ITU-T T.81 gives as examples in Annex K.
struct JPEGEncoder {
    /// A whole file: SOI, the given APP1 Exif block if any, tables, one scan, EOI.
    static func encode(_ picture: Planes, exif: [UInt8]? = nil) -> [UInt8] {
        var encoder = JPEGEncoder(picture)
        return [0xFF, 0xD8] + (exif.map(app1) ?? []) + head(width: picture.width, height: picture.height)
            + encoder.scan() + [0xFF, 0xD9]
    }

    /// Everything from the quantisation tables to the head of the scan.
    static func head(width: Int, height: Int) -> [UInt8] {
        var out = ByteWriter()
        for (id, table) in [JPEGTables.lumaQuantisation, JPEGTables.chromaQuantisation].enumerated() {
            segment(&out, 0xDB, [UInt8(id)] + JPEGTables.zigzag.map { table[$0] })
        }
        var frame = ByteWriter()
        frame.put(UInt8(8))
        frame.put(UInt16(height))
        frame.put(UInt16(width))
        frame.put([3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1])
        segment(&out, 0xC0, frame.bytes)
        for table in [HuffmanTable.lumaDC, .lumaAC, .chromaDC, .chromaAC] {
            segment(&out, 0xC4, [table.id] + table.counts + table.symbols)
        }
        segment(&out, 0xDA, [3, 1, 0x00, 2, 0x11, 3, 0x11, 0, 63, 0])
        return out.bytes
    }

    /// An APP1 segment; the block must stay below 64 KiB.
    static func app1(_ exif: [UInt8]) -> [UInt8] {
        var out = ByteWriter()
        segment(&out, 0xE1, Array("Exif".utf8) + [0, 0] + exif)
        return out.bytes
    }

    private static func segment(_ out: inout ByteWriter, _ marker: UInt8, _ body: [UInt8]) {
        out.put([0xFF, marker])
        out.put(UInt16(body.count + 2))
        out.put(body)
    }

    private let picture: Planes
    private var bits = BitWriter(stuffing: true)
    private var lastDC = [0, 0, 0]

    private init(_ picture: Planes) { self.picture = picture }

    private mutating func scan() -> [UInt8] {
        for y in stride(from: 0, to: picture.paddedHeight, by: 16) {
            for x in stride(from: 0, to: picture.paddedWidth, by: 16) {
                for (dx, dy) in [(0, 0), (8, 0), (0, 8), (8, 8)] {
                    block(picture.luma, picture.paddedWidth, x + dx, y + dy, component: 0)
                }
                block(picture.blueness, picture.paddedWidth / 2, x / 2, y / 2, component: 1)
                block(picture.redness, picture.paddedWidth / 2, x / 2, y / 2, component: 2)
            }
        }
        bits.align(with: 1)
        return bits.bytes
    }

    private mutating func block(_ plane: [UInt8], _ stride: Int, _ x: Int, _ y: Int, component: Int) {
        var samples = [Float](repeating: 0, count: 64)
        for row in 0..<8 {
            let start = (y + row) * stride + x
            for column in 0..<8 { samples[row * 8 + column] = Float(plane[start + column]) - 128 }
        }
        CosineTransform.forward(&samples)
        let quantisation = component == 0 ? JPEGTables.lumaQuantisation : JPEGTables.chromaQuantisation
        var levels = [Int](repeating: 0, count: 64)
        for index in 0..<64 {
            let place = JPEGTables.zigzag[index]
            levels[index] = Int((samples[place] / Float(quantisation[place])).rounded())
        }
        write(levels, component: component)
    }

    private mutating func write(_ levels: [Int], component: Int) {
        let (dc, ac): (HuffmanTable, HuffmanTable) = component == 0 ? (.lumaDC, .lumaAC) : (.chromaDC, .chromaAC)
        let difference = levels[0] - lastDC[component]
        lastDC[component] = levels[0]
        put(0, difference, dc)
        var zeros = 0
        for level in levels.dropFirst() {
            if level == 0 { zeros += 1; continue }
            while zeros > 15 { put(symbol: 0xF0, ac); zeros -= 16 }
            put(zeros, level, ac)
            zeros = 0
        }
        if zeros > 0 { put(symbol: 0, ac) }
    }

    /// Run length and size as one symbol, then the value's own bits (T.81 §F.1.2).
    private mutating func put(_ run: Int, _ value: Int, _ table: HuffmanTable) {
        let size = Int.bitWidth - abs(value).leadingZeroBitCount
        put(symbol: UInt8(run << 4 | size), table)
        if size > 0 { bits.put(UInt32(truncatingIfNeeded: value < 0 ? value - 1 : value), size) }
    }

    private mutating func put(symbol: UInt8, _ table: HuffmanTable) {
        let code = table.codes[Int(symbol)]
        bits.put(code.bits, code.length)
    }
}
