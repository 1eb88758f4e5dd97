/// The arithmetic coder of HEVC (§9.3.4) as far as a picture of PCM blocks needs it: one adaptive flag and the
/// terminating bin.
struct PlainBlockCoder {
    private var bits: BitWriter
    private var low: UInt32 = 0, range: UInt32 = 510
    private var isFirst = true, outstanding = 0
    /// State of `part_mode`'s first bin: its initial value 184 at QP 26 makes it 0, with one as the likely value
    /// (§9.3.2.2).
    private var state = 0

    init(_ bits: BitWriter) { self.bits = bits }

    var bytes: [UInt8] { bits.bytes }

    /// One coding block: undivided, PCM, its samples, and whether the slice ends here.
    mutating func block(_ picture: Planes, column: Int, row: Int, isLast: Bool) {
        encodeUndivided()
        terminate(true)
        bits.align(with: 0)
        samples(picture.luma, picture.paddedWidth, column * 16, row * 16, 16)
        samples(picture.blueness, picture.paddedWidth / 2, column * 8, row * 8, 8)
        samples(picture.redness, picture.paddedWidth / 2, column * 8, row * 8, 8)
        (low, range, isFirst, outstanding) = (0, 510, true, 0)
        terminate(isLast)
        if isLast { bits.align(with: 0) }
    }

    private mutating func samples(_ plane: [UInt8], _ stride: Int, _ x: Int, _ y: Int, _ size: Int) {
        for line in y..<y + size { bits.append(Array(plane[line * stride + x..<line * stride + x + size])) }
    }

    /// A one, always the likely value.
    ///
    /// The coder was started one or two steps before, so only the table's last column is ever asked.
    private mutating func encodeUndivided() {
        range -= Self.unlikely[state]
        state = min(state + 1, 62)
        renormalise()
    }

    private mutating func terminate(_ end: Bool) {
        range -= 2
        guard end else { return renormalise() }
        low += range
        range = 2
        renormalise()
        put(low >> 9 & 1)
        bits.put(low >> 7 & 3 | 1, 2)
    }

    private mutating func renormalise() {
        while range < 256 {
            if low < 256 {
                put(0)
            } else if low >= 512 {
                low -= 512
                put(1)
            } else {
                low -= 256
                outstanding += 1
            }
            range <<= 1
            low <<= 1
        }
    }

    private mutating func put(_ bit: UInt32) {
        if isFirst { isFirst = false } else { bits.put(bit, 1) }
        while outstanding > 0 {
            bits.put(1 - bit, 1)
            outstanding -= 1
        }
    }

    /// Range of the unlikely value by state, for ranges of 448 and more (Table 9-52, last column).
    private static let unlikely: [UInt32] = [
        240, 227, 216, 205, 195, 185, 175, 166, 158, 150, 142, 135, 128, 122, 116, 110, 104, 99, 94, 89, 85, 80, 76, 72,
        69, 65, 62, 59, 56, 53, 50, 48, 45, 43, 41, 39, 37, 35, 33, 31, 30, 28, 27, 25, 24, 23, 22, 21, 20, 19, 18, 17,
        16, 15, 14, 14, 13, 12, 12, 11, 11, 10, 9,
    ]
}
