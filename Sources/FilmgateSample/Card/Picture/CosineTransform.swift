/// The 8 × 8 forward cosine transform (T.81 §A.3.3), rows then columns.
enum CosineTransform {
    static func forward(_ block: inout [Float]) {
        for row in stride(from: 0, to: 64, by: 8) { line(&block, row, 1) }
        for column in 0..<8 { line(&block, column, 8) }
    }

    /// One line of eight in place: sums and differences of mirrored samples halve the multiplications.
    private static func line(_ block: inout [Float], _ start: Int, _ step: Int) {
        let (x0, x1, x2, x3) = (block[start], block[start + step], block[start + 2 * step], block[start + 3 * step])
        let (x4, x5, x6, x7) = (
            block[start + 4 * step], block[start + 5 * step], block[start + 6 * step], block[start + 7 * step]
        )
        let (s0, s1, s2, s3) = (x0 + x7, x1 + x6, x2 + x5, x3 + x4)
        let (d0, d1, d2, d3) = (x0 - x7, x1 - x6, x2 - x5, x3 - x4)
        block[start] = (s0 + s3 + s1 + s2) * c4
        block[start + 4 * step] = (s0 + s3 - s1 - s2) * c4
        block[start + 2 * step] = (s0 - s3) * c2 + (s1 - s2) * c6
        block[start + 6 * step] = (s0 - s3) * c6 - (s1 - s2) * c2
        block[start + step] = d0 * c1 + d1 * c3 + d2 * c5 + d3 * c7
        block[start + 3 * step] = d0 * c3 - d1 * c7 - d2 * c1 - d3 * c5
        block[start + 5 * step] = d0 * c5 - d1 * c1 + d2 * c7 + d3 * c3
        block[start + 7 * step] = d0 * c7 - d1 * c5 + d2 * c3 - d3 * c1
    }

    // cos(k π / 16) / 2
    private static let c1: Float = 0.490_392_64, c2: Float = 0.461_939_77, c3: Float = 0.415_734_81
    private static let c4: Float = 0.353_553_39
    private static let c5: Float = 0.277_785_12, c6: Float = 0.191_341_72, c7: Float = 0.097_545_16
}
