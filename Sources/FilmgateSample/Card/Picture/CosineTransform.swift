import Glibc

/// The 8 × 8 forward cosine transform (T.81 §A.3.3), rows then columns.
enum CosineTransform {
    /// `basis[u * 8 + x]` = half the scaled cosine of frequency `u` at sample `x`.
    private static let basis: [Float] = (0..<64).map { index in
        let (u, x) = (index / 8, index % 8)
        let scale: Float = u == 0 ? 0.353_553_39 : 0.5
        return scale * cosf(Float((2 * x + 1) * u) * Float.pi / 16)
    }

    static func forward(_ block: inout [Float]) {
        pass(&block, step: 1, line: 8)
        pass(&block, step: 8, line: 1)
    }

    private static func pass(_ block: inout [Float], step: Int, line: Int) {
        var result = block
        for index in 0..<8 {
            for u in 0..<8 {
                var sum: Float = 0
                for x in 0..<8 { sum += block[index * line + x * step] * basis[u * 8 + x] }
                result[index * line + u * step] = sum
            }
        }
        block = result
    }
}
