/// A picture as luma and half-size chroma planes, full range (ITU-T T.871 §7), padded to whole blocks of 16 × 16 by
/// repeating the edge.
struct Planes {
    let width: Int, height: Int
    /// Padded size of the luma plane; chroma is half of it each way.
    let paddedWidth: Int, paddedHeight: Int
    private(set) var luma: [UInt8], blueness: [UInt8], redness: [UInt8]

    init(_ scene: Scene, width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        (paddedWidth, paddedHeight) = ((width + 15) / 16 * 16, (height + 15) / 16 * 16)
        luma = [UInt8](repeating: 0, count: paddedWidth * paddedHeight)
        blueness = [UInt8](repeating: 128, count: paddedWidth * paddedHeight / 4)
        redness = blueness
        let columns = (0..<paddedWidth).map { Float(min($0, width - 1)) / Float(width) }
        let edges = columns.map { scene.edges(at: $0) }
        for y in 0..<paddedHeight { drawRow(y, scene, columns, edges) }
    }

    private mutating func drawRow(_ y: Int, _ scene: Scene, _ columns: [Float], _ edges: [[Float]]) {
        let v = Float(min(y, height - 1)) / Float(height)
        let shades = scene.shades(at: v).map(Sample.init)
        for x in 0..<paddedWidth {
            let edge = edges[x]
            let layer = v > edge[2] ? 3 : v > edge[1] ? 2 : v > edge[0] ? 1 : 0
            var sample = shades[layer]
            if layer == 0, let sun = scene.sun(columns[x], v, aspect: Float(width) / Float(height)) {
                sample = Sample(sun)
            }
            luma[y * paddedWidth + x] = sample.luma
            guard x % 2 == 0, y % 2 == 0 else { continue }
            let half = y / 2 * (paddedWidth / 2) + x / 2
            blueness[half] = sample.blueness
            redness[half] = sample.redness
        }
    }

    private struct Sample {
        let luma: UInt8, blueness: UInt8, redness: UInt8

        init(_ colour: Scene.Colour) {
            let (r, g, b) = (colour.red * 255, colour.green * 255, colour.blue * 255)
            luma = Self.byte(0.299 * r + 0.587 * g + 0.114 * b)
            blueness = Self.byte(128 - 0.168_736 * r - 0.331_264 * g + 0.5 * b)
            redness = Self.byte(128 + 0.5 * r - 0.418_688 * g - 0.081_312 * b)
        }

        private static func byte(_ value: Float) -> UInt8 { UInt8(min(max(value.rounded(), 0), 255)) }
    }
}
