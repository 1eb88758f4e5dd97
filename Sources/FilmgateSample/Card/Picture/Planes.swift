/// A picture as luma and half-size chroma planes, full range (ITU-T T.871 §7), padded to whole blocks of 16 × 16 by repeating the edge.
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
        for y in 0..<paddedHeight { drawRow(y, scene) }
    }

    private mutating func drawRow(_ y: Int, _ scene: Scene) {
        let aspect = Float(width) / Float(height)
        let v = Float(min(y, height - 1)) / Float(height)
        for x in 0..<paddedWidth {
            let colour = scene.colour(Float(min(x, width - 1)) / Float(width), v, aspect: aspect)
            let (r, g, b) = (colour.red * 255, colour.green * 255, colour.blue * 255)
            luma[y * paddedWidth + x] = Self.byte(0.299 * r + 0.587 * g + 0.114 * b)
            guard x % 2 == 0, y % 2 == 0 else { continue }
            let half = y / 2 * (paddedWidth / 2) + x / 2
            blueness[half] = Self.byte(128 - 0.168_736 * r - 0.331_264 * g + 0.5 * b)
            redness[half] = Self.byte(128 + 0.5 * r - 0.418_688 * g - 0.081_312 * b)
        }
    }

    private static func byte(_ value: Float) -> UInt8 { UInt8(min(max(value.rounded(), 0), 255)) }
}
