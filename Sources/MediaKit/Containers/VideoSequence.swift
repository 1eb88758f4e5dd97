/// The size of the pictures of a bare video stream, as its sequence header says it.
enum VideoSequence {
    /// How much of a stream's beginning is searched, and how long a header may be.
    private static let searched = 64 << 10, headerLimit = 512
    static let sizes = 1...65_536

    /// H.264's sequence parameter set, else MPEG-2's sequence header; nil where neither stands at the beginning of
    /// `stream`.
    static func pixelSize(in stream: Bytes) -> (width: Int, height: Int)? {
        let head = stream.first(searched)
        var place = 0
        while let found = head.index(of: [0, 0, 1], from: place), let kind = head[found + 3] {
            let size: (Int, Int)? =
                switch kind {
                case 0xB3: mpeg2(head.from(found + 4))
                case _ where kind & 0x9F == 7: h264(head.from(found + 4).withoutEmulationPrevention(limit: headerLimit))
                default: nil
                }
            if let size, sizes.contains(size.0), sizes.contains(size.1) { return size }
            place = found + 3
        }
        return nil
    }

    /// ISO/IEC 13818-2 §6.2.2.1: twelve bits each.
    private static func mpeg2(_ bytes: Bytes) -> (Int, Int)? {
        var bits = BitReader(bytes)
        guard let width = bits.number(12), let height = bits.number(12) else { return nil }
        return (Int(width), Int(height))
    }

    /// Profiles that say how colours are sampled; all others take one of them for two by two luminances.
    private static let sampled: Set<UInt32> = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]

    /// ITU-T H.264 §7.3.2.1.1.
    private static func h264(_ bytes: Bytes) -> (Int, Int)? {
        var bits = BitReader(bytes)
        guard let profile = bits.number(8) else { return nil }
        bits.skip(16)
        guard bits.golomb() != nil, let chroma = sampled.contains(profile) ? chroma(&bits) : 1, skipOrder(&bits),
            bits.golomb() != nil
        else { return nil }
        bits.skip(1)
        guard let wide = bits.golomb(), let high = bits.golomb(), let frames = bits.bit(),
            sizes.contains((wide + 1) * 16),
            sizes.contains((high + 1) * 16)
        else { return nil }
        let fields = 2 - Int(frames)
        bits.skip(fields)
        guard let cropped = bits.bit() else { return nil }
        let whole = ((wide + 1) * 16, (high + 1) * 16 * fields)
        guard cropped == 1 else { return whole }
        guard let left = bits.golomb(), let right = bits.golomb(), let top = bits.golomb(), let bottom = bits.golomb()
        else { return nil }
        let across = chroma == 1 || chroma == 2 ? 2 : 1, down = (chroma == 1 ? 2 : 1) * fields
        return (whole.0 - across * (left + right), whole.1 - down * (top + bottom))
    }

    /// How colours are sampled: 0 = not at all, 1 = every second in both directions, 2 = across, 3 = each.
    private static func chroma(_ bits: inout BitReader) -> Int? {
        guard let chroma = bits.golomb(), (0...3).contains(chroma) else { return nil }
        if chroma == 3 { bits.skip(1) }
        guard bits.golomb() != nil, bits.golomb() != nil else { return nil }
        bits.skip(1)
        guard let scaled = bits.bit() else { return nil }
        for list in 0..<(scaled == 0 ? 0 : chroma == 3 ? 12 : 8) {
            guard let isThere = bits.bit() else { return nil }
            if isThere == 1 { skipScaling(&bits, count: list < 6 ? 16 : 64) }
        }
        return chroma
    }

    private static func skipScaling(_ bits: inout BitReader, count: Int) {
        var last = 8, next = 8
        for _ in 0..<count {
            if next != 0 { next = (last + (bits.signedGolomb() ?? 0) % 256 + 512) % 256 }
            if next != 0 { last = next }
        }
    }

    /// The numbers of frames and of their order.
    private static func skipOrder(_ bits: inout BitReader) -> Bool {
        guard bits.golomb() != nil, let type = bits.golomb() else { return false }
        if type == 0 { return bits.golomb() != nil }
        guard type == 1 else { return type == 2 }
        bits.skip(1)
        guard bits.signedGolomb() != nil, bits.signedGolomb() != nil, let cycle = bits.golomb(), cycle <= 255 else {
            return false
        }
        for _ in 0..<cycle where bits.signedGolomb() == nil { return false }
        return true
    }
}

extension Bytes {
    /// At most `limit` bytes of H.264 payload with the 3 of each 0, 0, 3 taken out (ITU-T H.264 §7.4.1).
    func withoutEmulationPrevention(limit: Int) -> Bytes {
        var plain: [UInt8] = [], zeros = 0, index = 0
        while plain.count < limit, let byte = self[index] {
            index += 1
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            plain.append(byte)
        }
        return Bytes(plain)
    }
}
