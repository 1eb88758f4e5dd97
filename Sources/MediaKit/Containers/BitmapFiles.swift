/// Pictures that say nothing but their size.
enum BitmapFiles {
    /// GIF: the logical screen.
    static func locateGIF(in file: ByteRegion, into findings: inout Findings) {
        guard let width = file.u16(6, .little), let height = file.u16(8, .little) else { return }
        findings.pixelSize = (Int(width), Int(height))
    }

    /// BMP: the header behind the fourteen bytes that all have; in the oldest one, two bytes a number.
    ///
    /// A height below zero is that of a picture
    /// which begins at its top.
    static func locateBMP(in file: ByteRegion, into findings: inout Findings) {
        guard let header = file.u32(14, .little) else { return }
        if header == 12, let width = file.u16(18, .little), let height = file.u16(20, .little) {
            findings.pixelSize = (Int(width), Int(height))
        } else if header >= 40, let width = file.u32(18, .little), let height = file.u32(22, .little) {
            let size = (Int(Int32(bitPattern: width)), abs(Int(Int32(bitPattern: height))))
            if size.0 <= 1_000_000, size.1 <= 1_000_000 { findings.pixelSize = size }
        }
    }
}

/// JPEG XL's codestream (ISO/IEC 18181-1 §D.2): its size stands in the first bits, the lowest of each byte first.
enum JXLStream {
    static let signature: [UInt8] = [0xFF, 0x0A]
    /// Width to height, by number.
    private static let ratios: [(Int, Int)] = [(1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1)]

    static func locate(in stream: ByteRegion, into findings: inout Findings) {
        let head = stream.upTo(16)
        guard head.starts(with: signature) else { return }
        var bits = BitReader(head.from(2), .lowFirst)
        guard let small = bits.bit(), let height = length(&bits, small: small == 1), let ratio = bits.number(3) else {
            return
        }
        let width =
            ratio == 0 ? length(&bits, small: small == 1) : height * ratios[Int(ratio) - 1].0 / ratios[Int(ratio) - 1].1
        if let width { findings.pixelSize = (width, height) }
    }

    private static func length(_ bits: inout BitReader, small: Bool) -> Int? {
        if small { return bits.number(5).map { (Int($0) + 1) * 8 } }
        return bits.number(2).flatMap { bits.number([9, 13, 18, 30][Int($0)]) }.map { Int($0) + 1 }
    }
}
