/// A picture of red, green and blue, 8 bits each, row by row without gaps.
struct Raster {
    let width: Int, height: Int
    let pixels: [UInt8]

    init(width: Int, height: Int, pixels: [UInt8]) { (self.width, self.height, self.pixels) = (width, height, pixels) }

    /// Of cyan, magenta, yellow and black, as photo programs write them: 255 is no ink.
    init(width: Int, height: Int, ink: [UInt8]) {
        let pixels = ink.withUnsafeBufferPointer { ink in
            [UInt8](unsafeUninitializedCapacity: width * height * 3) { out, count in
                for pixel in 0..<(width * height) {
                    let black = Int(ink[pixel * 4 + 3])
                    for channel in 0..<3 {
                        out[pixel * 3 + channel] = UInt8(Int(ink[pixel * 4 + channel]) * black / 255)
                    }
                }
                count = width * height * 3
            }
        }
        self.init(width: width, height: height, pixels: pixels)
    }

    /// Without the black bars that fill it up where the media that it shows has another shape.
    func withoutBars(ofMedia mediaWidth: Int, _ mediaHeight: Int) -> Raster {
        guard mediaWidth > 0, mediaHeight > 0 else { return self }
        let rows = (width * mediaHeight + mediaWidth / 2) / mediaWidth
        let columns = (height * mediaWidth + mediaHeight / 2) / mediaHeight
        let top = max(0, height - rows) / 2, left = max(0, width - columns) / 2
        // What is cut must be black, and most of the picture must be left.
        guard top >= 2 || left >= 2, top < height / 4, left < width / 4 else { return self }
        let isDark =
            top >= 2
            ? isBlack(0..<width, 0..<top) && isBlack(0..<width, (height - top)..<height)
            : isBlack(0..<left, 0..<height) && isBlack((width - left)..<width, 0..<height)
        guard isDark else { return self }
        // Coding smears the edge by a pixel.
        return top >= 2
            ? part(0..<width, (top + 1)..<(height - top - 1)) : part((left + 1)..<(width - left - 1), 0..<height)
    }

    /// On average, as coding leaves black.
    private func isBlack(_ columns: Range<Int>, _ rows: Range<Int>) -> Bool {
        var sum = 0
        for row in rows {
            let start = row * width * 3
            for index in (start + columns.lowerBound * 3)..<(start + columns.upperBound * 3) {
                sum += Int(pixels[index])
            }
        }
        return sum <= 20 * 3 * columns.count * rows.count
    }

    private func part(_ columns: Range<Int>, _ rows: Range<Int>) -> Raster {
        let cut = rows.flatMap { row in
            pixels[((row * width + columns.lowerBound) * 3)..<((row * width + columns.upperBound) * 3)]
        }
        return Raster(width: columns.count, height: rows.count, pixels: cut)
    }

    /// Turned and mirrored as Exif's orientation says, so that it stands upright.
    func upright(_ orientation: Int) -> Raster {
        let (start, right, down): (Int, Int, Int) =
            switch orientation {
            case 2: (width - 1, -1, width)
            case 3: (width * height - 1, -1, -width)
            case 4: ((height - 1) * width, 1, -width)
            case 5: (0, width, 1)
            case 6: ((height - 1) * width, -width, 1)
            case 7: (width * height - 1, -width, -1)
            case 8: (width - 1, width, -1)
            default: (0, 0, 0)
            }
        guard right != 0 else { return self }
        let (columns, rows) = orientation >= 5 ? (height, width) : (width, height)
        let turned = pixels.withUnsafeBufferPointer { pixels in
            [UInt8](unsafeUninitializedCapacity: pixels.count) { out, count in
                var place = 0
                for row in 0..<rows {
                    var from = start + row * down
                    for _ in 0..<columns {
                        for channel in 0..<3 { out[place + channel] = pixels[from * 3 + channel] }
                        place += 3
                        from += right
                    }
                }
                count = place
            }
        }
        return Raster(width: columns, height: rows, pixels: turned)
    }
}
