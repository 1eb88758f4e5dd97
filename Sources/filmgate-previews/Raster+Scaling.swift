extension Raster {
    /// Made smaller until no edge is longer: each pixel is the mean of what it covers.
    func fitting(_ longEdge: Int) -> Raster {
        guard max(width, height) > longEdge else { return self }
        let newWidth = width >= height ? longEdge : max(1, (width * longEdge + height / 2) / height)
        let newHeight = height >= width ? longEdge : max(1, (height * longEdge + width / 2) / width)
        return narrowed(newWidth).lowered(newHeight)
    }

    /// Which of `count` pixels each of `wanted` covers, and how much of each, in parts of which all together are
    /// `count`.
    private static func shares(_ count: Int, _ wanted: Int) -> [(first: Int, weights: [Int])] {
        (0..<wanted).map { index in
            let from = index * count, to = from + count, first = from / wanted
            let weights = (first...((to - 1) / wanted)).map { min(($0 + 1) * wanted, to) - max($0 * wanted, from) }
            return (first, weights)
        }
    }

    private func narrowed(_ newWidth: Int) -> Raster {
        let shares = Self.shares(width, newWidth)
        let narrow = pixels.withUnsafeBufferPointer { pixels in
            [UInt8](unsafeUninitializedCapacity: newWidth * height * 3) { out, count in
                var place = 0
                for row in 0..<height {
                    for (first, weights) in shares {
                        var from = (row * width + first) * 3, red = width / 2, green = width / 2, blue = width / 2
                        for weight in weights {
                            red += Int(pixels[from]) * weight
                            green += Int(pixels[from + 1]) * weight
                            blue += Int(pixels[from + 2]) * weight
                            from += 3
                        }
                        (out[place], out[place + 1], out[place + 2]) = (
                            UInt8(red / width), UInt8(green / width), UInt8(blue / width)
                        )
                        place += 3
                    }
                }
                count = place
            }
        }
        return Raster(width: newWidth, height: height, pixels: narrow)
    }

    private func lowered(_ newHeight: Int) -> Raster {
        let shares = Self.shares(height, newHeight), line = width * 3
        let low = pixels.withUnsafeBufferPointer { pixels in
            [UInt8](unsafeUninitializedCapacity: line * newHeight) { out, count in
                var sums = [Int](repeating: 0, count: line)
                sums.withUnsafeMutableBufferPointer { sums in
                    for (row, share) in shares.enumerated() {
                        sums.update(repeating: height / 2)
                        for (step, weight) in share.weights.enumerated() {
                            let from = (share.first + step) * line
                            for index in 0..<line { sums[index] += Int(pixels[from + index]) * weight }
                        }
                        for index in 0..<line { out[row * line + index] = UInt8(sums[index] / height) }
                    }
                }
                count = line * newHeight
            }
        }
        return Raster(width: width, height: newHeight, pixels: low)
    }
}
