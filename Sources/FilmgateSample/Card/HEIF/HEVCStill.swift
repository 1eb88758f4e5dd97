/// An HEVC intra picture whose blocks are all stored plainly (ITU-T H.265, PCM samples): valid, lossless, and short to
/// write.
struct HEVCStill {
    /// The decoder configuration record of ISO/IEC 14496-15 §8.3.3.
    let configuration: [UInt8]
    /// The picture's one slice behind its four-byte length.
    let sample: [UInt8]

    init(_ picture: Planes) {
        let sets: [(UInt8, [UInt8])] = [
            (32, Self.videoParameters()), (33, Self.sequenceParameters(picture)), (34, Self.pictureParameters()),
        ]
        let slice = Self.unit(19, Self.slice(picture))
        sample = Box.u32(UInt32(slice.count)) + slice
        configuration =
            [1, 3] + Box.u32(0x7000_0000) + [0x90, 0, 0, 0, 0, 0, 93] + Box.u16(0xF000) + [
                0xFC, 0xFD, 0xF8, 0xF8, 0, 0, 0x0F, UInt8(sets.count),
            ]
            + sets.flatMap { type, body in
                let unit = Self.unit(type, body)
                return [0x80 | type] + Box.u16(1, UInt16(unit.count)) + unit
            }
    }

    /// A NAL unit: header, then the payload with emulation prevention (§7.3.1).
    private static func unit(_ type: UInt8, _ payload: [UInt8]) -> [UInt8] {
        var out: [UInt8] = [type << 1, 1]
        out.reserveCapacity(payload.count + 64)
        var zeros = 0
        for byte in payload {
            if zeros == 2, byte <= 3 {
                out.append(3)
                zeros = 0
            }
            out.append(byte)
            zeros = byte == 0 ? zeros + 1 : 0
        }
        return out
    }

    /// Main Still Picture, level 3.1 (§7.3.3).
    private static func profile(_ bits: inout BitWriter) {
        bits.put(3, 8)
        bits.put(0x7000_0000, 32)
        bits.put(0b1001, 4)
        bits.put(0, 32)
        bits.put(0, 12)
        bits.put(93, 8)
    }

    private static func closed(_ bits: BitWriter) -> [UInt8] {
        var bits = bits
        bits.put(1, 1)
        bits.align(with: 0)
        return bits.bytes
    }

    /// §7.3.2.1: one layer, one sub-layer, one picture.
    private static func videoParameters() -> [UInt8] {
        var bits = BitWriter()
        bits.put(0, 4)
        bits.put(0b11, 2)
        bits.put(0, 9)
        bits.put(1, 1)
        bits.put(0xFFFF, 16)
        profile(&bits)
        bits.put(1, 1)
        for _ in 0..<3 { bits.ue(0) }
        bits.put(0, 6)
        bits.ue(0)
        bits.put(0, 2)
        return closed(bits)
    }

    /// §7.3.2.2: coding blocks of 16 × 16 only, PCM allowed for them at 8 bits, full-range colour.
    private static func sequenceParameters(_ picture: Planes) -> [UInt8] {
        var bits = BitWriter()
        bits.put(0, 7)
        bits.put(1, 1)
        profile(&bits)
        for value in [0, 1, UInt32(picture.paddedWidth), UInt32(picture.paddedHeight)] { bits.ue(value) }
        bits.put(0, 1)
        for value: UInt32 in [0, 0, 4] { bits.ue(value) }
        bits.put(1, 1)
        for value: UInt32 in [0, 0, 0, 1, 0, 0, 2, 0, 0] { bits.ue(value) }
        bits.put(0, 3)
        bits.put(0b1_0111_0111, 9)
        bits.ue(1)
        bits.ue(0)
        bits.put(1, 1)
        bits.ue(0)
        bits.put(0b0001, 4)
        colour(&bits)
        bits.put(0, 1)
        return closed(bits)
    }

    /// §E.2.1: full range, BT.709 primaries, sRGB curve, BT.601 matrix; nothing else is said.
    private static func colour(_ bits: inout BitWriter) {
        bits.put(0b001, 3)
        bits.put(5, 3)
        bits.put(0b11, 2)
        for value: UInt32 in [1, 13, 6] { bits.put(value, 8) }
        bits.put(0, 7)
    }

    /// §7.3.2.3: every tool off, deblocking off.
    private static func pictureParameters() -> [UInt8] {
        var bits = BitWriter()
        bits.ue(0)
        bits.ue(0)
        bits.put(0, 7)
        for _ in 0..<3 { bits.ue(0) }
        bits.put(0, 3)
        bits.ue(0)
        bits.ue(0)
        bits.put(0, 7)
        bits.put(0b101, 3)
        bits.put(0, 2)
        bits.ue(0)
        bits.put(0, 2)
        return closed(bits)
    }

    /// §7.3.6.1 and §7.3.8: an IDR slice of intra blocks.
    private static func slice(_ picture: Planes) -> [UInt8] {
        var bits = BitWriter()
        bits.put(0b10, 2)
        bits.ue(0)
        bits.ue(2)
        bits.ue(0)
        bits.put(1, 1)
        bits.align(with: 0)
        var coder = PlainBlockCoder(bits)
        let columns = picture.paddedWidth / 16, count = columns * (picture.paddedHeight / 16)
        for index in 0..<count {
            coder.block(picture, column: index % columns, row: index / columns, isLast: index == count - 1)
        }
        return coder.bytes
    }
}
