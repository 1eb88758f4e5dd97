extension Raster {
    /// Made smaller until no edge is longer: each pixel is the mean of what it covers.
    func fitting(_ longEdge: Int) -> Raster {
        guard max(width, height) > longEdge else { return self }
        let newWidth = width >= height ? longEdge : max(1, (width * longEdge + height / 2) / height)
        let newHeight = height >= width ? longEdge : max(1, (height * longEdge + width / 2) / width)
        return narrowed(newWidth).lowered(newHeight)
    }

    private func narrowed(_ newWidth: Int) -> Raster {
        let shares = Shares(of: width, in: newWidth), line = width * 3
        let narrow = [UInt8](unsafeUninitializedCapacity: newWidth * height * 3) { out, count in
            pixels.withUnsafeBufferPointer { pixels in
                for row in 0..<height { shares.add(pixels, from: row * line, to: out, at: row * newWidth * 3) }
            }
            count = newWidth * height * 3
        }
        return Raster(width: newWidth, height: height, pixels: narrow)
    }

    private func lowered(_ newHeight: Int) -> Raster {
        let shares = Shares(of: height, in: newHeight), line = width * 3
        let low = [UInt8](unsafeUninitializedCapacity: line * newHeight) { out, count in
            var sums = [UInt32](repeating: 0, count: line)
            pixels.withUnsafeBufferPointer { pixels in
                sums.withUnsafeMutableBufferPointer { sums in
                    for row in 0..<newHeight {
                        sums.update(repeating: Shares.half)
                        for (step, weight) in shares.weights[shares.places[row]..<shares.places[row + 1]].enumerated() {
                            let from = (shares.first[row] + step) * line
                            for index in 0..<line { sums[index] &+= UInt32(pixels[from + index]) &* weight }
                        }
                        for index in 0..<line {
                            out[row * line + index] = UInt8(truncatingIfNeeded: sums[index] >> Shares.bits)
                        }
                    }
                }
            }
            count = line * newHeight
        }
        return Raster(width: width, height: newHeight, pixels: low)
    }
}

/// Which of many pixels each of fewer covers, and how much of each.
private struct Shares {
    static let bits: UInt32 = 16, half: UInt32 = 1 << 15

    /// The first that each covers, and where its weights begin and end.
    private(set) var first: [Int] = [], places = [0]
    /// Together 1 << `bits` for each, so that what has one colour keeps it.
    private(set) var weights: [UInt32] = []

    init(of count: Int, in wanted: Int) {
        for index in 0..<wanted {
            let from = index * count, to = from + count
            first.append(from / wanted)
            var given = 0, covered = 0
            for pixel in (from / wanted)...((to - 1) / wanted) {
                covered += min((pixel + 1) * wanted, to) - max(pixel * wanted, from)
                let weight = (covered << Int(Self.bits)) / count - given
                weights.append(UInt32(weight))
                given += weight
            }
            places.append(weights.count)
        }
    }

    /// One row of pixels, each of red, green and blue.
    @inline(__always)
    func add(
        _ pixels: UnsafeBufferPointer<UInt8>, from start: Int, to out: UnsafeMutableBufferPointer<UInt8>, at end: Int
    ) {
        var place = end
        for index in first.indices {
            var from = start + first[index] * 3, red = Self.half, green = Self.half, blue = Self.half
            for weight in weights[places[index]..<places[index + 1]] {
                red &+= UInt32(pixels[from]) &* weight
                green &+= UInt32(pixels[from + 1]) &* weight
                blue &+= UInt32(pixels[from + 2]) &* weight
                from += 3
            }
            out[place] = UInt8(truncatingIfNeeded: red >> Self.bits)
            out[place + 1] = UInt8(truncatingIfNeeded: green >> Self.bits)
            out[place + 2] = UInt8(truncatingIfNeeded: blue >> Self.bits)
            place += 3
        }
    }
}
