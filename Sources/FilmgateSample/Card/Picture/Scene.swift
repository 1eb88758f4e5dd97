import Glibc

/// A made-up landscape: sky, sun and three ranges of hills, different for every seed; any size of it can be drawn.
struct Scene {
    struct Colour: Equatable { var red: Float, green: Float, blue: Float }

    private let top: Colour, bottom: Colour, sun: Colour
    private let sunX: Float, sunY: Float, sunRadius: Float
    private let hills: [Hill]

    private struct Hill { var height: Float, swing: Float, pace: Float, phase: Float, colour: Colour }

    init(seed: UInt64) {
        var random = SampleRandom(seed: seed)
        let hue = random.unit()
        top = Scene.colour(hue: hue, saturation: 0.75, value: 0.85)
        bottom = Scene.colour(hue: hue + 0.12, saturation: 0.25, value: 0.98)
        sun = Scene.colour(hue: hue + 0.5, saturation: 0.6, value: 1)
        (sunX, sunY, sunRadius) = (0.15 + 0.7 * random.unit(), 0.15 + 0.25 * random.unit(), 0.05 + 0.06 * random.unit())
        hills = (0..<3).map { layer in
            let depth = Float(layer)
            return Hill(
                height: 0.5 + 0.16 * depth, swing: 0.05 + 0.05 * random.unit(), pace: 4 + 9 * random.unit(),
                phase: 6.28 * random.unit(),
                colour: Scene.colour(
                    hue: hue + 0.28 + 0.07 * depth, saturation: 0.55 + 0.1 * depth, value: 0.7 - 0.18 * depth))
        }
    }

    /// Where each range of hills begins at `x`, from the farthest to the nearest: a share of the height from the top.
    func edges(at x: Float) -> [Float] { hills.map { $0.height + $0.swing * sinf(x * $0.pace + $0.phase) } }

    /// The colours at height `y`: the sky's, then each range's; they do not depend on `x`.
    func shades(at y: Float) -> [Colour] {
        [Scene.mix(top, bottom, y * 1.6)] + hills.map { Scene.mix($0.colour, top, 0.35 * (1 - y)) }
    }

    /// The sun's colour where it shines, if no hill is before it.
    func sun(_ x: Float, _ y: Float, aspect: Float) -> Colour? {
        let (dx, dy) = ((x - sunX) * aspect, y - sunY)
        return dx * dx + dy * dy < sunRadius * sunRadius ? sun : nil
    }

    /// The colour at `x`, `y`, both 0…1 from the top left, `aspect` being width over height.
    func colour(_ x: Float, _ y: Float, aspect: Float) -> Colour {
        let shades = shades(at: y)
        if let nearest = edges(at: x).lastIndex(where: { y > $0 }) { return shades[nearest + 1] }
        return sun(x, y, aspect: aspect) ?? shades[0]
    }

    private static func mix(_ a: Colour, _ b: Colour, _ share: Float) -> Colour {
        let t = min(max(share, 0), 1)
        return Colour(
            red: a.red + (b.red - a.red) * t, green: a.green + (b.green - a.green) * t,
            blue: a.blue + (b.blue - a.blue) * t)
    }

    /// Hue, saturation and value to red, green and blue, each 0…1; the hue wraps round.
    private static func colour(hue: Float, saturation: Float, value: Float) -> Colour {
        func channel(_ offset: Float) -> Float {
            let k = (offset + hue * 6).truncatingRemainder(dividingBy: 6)
            return value - value * saturation * max(0, min(k, 4 - k, 1))
        }
        return Colour(red: channel(5), green: channel(3), blue: channel(1))
    }
}
