public import FilmgateCore

extension SampleCard {
    /// Writes a large card for measuring: `pairs` shots of one JPEG and one RAW below `directory`, which must hold
    /// nothing yet.
    ///
    /// Every file has a valid head with its own time and number, then bytes that no file system can squeeze, different
    /// in each file. Sizes are exact and at least 64 KiB; zero leaves that kind out. At most 900 folders of 9999 shots.
    public static func bulk(
        to directory: String, pairs: Int, jpegSize: UInt64, rawSize: UInt64, seed: UInt64 = 1
    ) throws(IngestError) -> Written {
        for size in [jpegSize, rawSize] where size != 0 && !(65_536...4_000_000_000).contains(size) {
            throw IngestError(.misconfigured, "A bulk file has 64 KiB to 4 GB, not \(size) bytes.")
        }
        guard (1...900 * 9999).contains(pairs), let first = Frame.wedding.first else {
            throw IngestError(.misconfigured, "A card holds 1 to \(900 * 9999) shots, not \(pairs).")
        }
        var folder = try CardFolder(creating: directory)
        var noise = NoiseBytes(seed: seed)
        for index in 0..<pairs {
            let shot = BulkShot(first, index: index)
            if jpegSize > 0 {
                try folder.add(shot.path("JPG"), shot.jpeg(size: jpegSize), &noise, modified: shot.frame.modified)
            }
            if rawSize > 0 {
                try folder.add(
                    shot.path(first.body.rawExtension), shot.raw(size: rawSize), &noise, modified: shot.frame.modified)
            }
        }
        try folder.finish(modified: first.modified)
        return folder.written
    }
}

/// One shot of a bulk card: the bytes before and after the grain of each file.
struct BulkShot {
    struct Layout { var head: [UInt8], noise: UInt64, tail: [UInt8] }

    let frame: Frame
    private let folder: Int

    init(_ template: Frame, index: Int) {
        var frame = template
        frame.number = index % 9999 + 1
        frame.captured = template.captured.adding(seconds: Int64(index)) ?? template.captured
        (self.frame, folder) = (frame, 100 + index / 9999)
    }

    func path(_ ext: String) -> String {
        "DCIM/\(folder)\(frame.body.folder.dropFirst(3))/IMG_\(padded(frame.number, 4)).\(ext)"
    }

    func jpeg(size: UInt64) -> Layout {
        let exif = ExifBlock(frame: frame, width: 6720, height: 4480).bytes()
        let head = [0xFF, 0xD8] + JPEGEncoder.app1(exif) + JPEGEncoder.head(width: 6720, height: 4480)
        return Layout(head: head, noise: size - UInt64(head.count) - 2, tail: [0xFF, 0xD9])
    }

    /// The mosaic's strip is the grain: its directory says where it begins, and as many rows as fit into it.
    func raw(size: UInt64) -> Layout {
        let width = 4096
        func head(strip: Int) -> [UInt8] {
            let height = (Int(size) - strip) / (width * 2)
            var raw = RawStandIn.rawDirectory([], width: width, height: height)
            raw.set(0x0111, .long(UInt32(strip)))
            raw.set(0x0117, .long(UInt32(height * width * 2)))
            let main = ExifBlock(frame: frame, width: width, height: height).main()
            return TIFFFile.bytes([main, raw], bigEndian: frame.body.bigEndian, signature: .cr2)
        }
        let length = head(strip: 0).count
        return Layout(head: head(strip: length), noise: size - UInt64(length), tail: [])
    }
}

/// Bytes that look like compressed picture data: no repetition, and never 0xFF, which would be a marker in a JPEG.
struct NoiseBytes {
    private var random: SampleRandom
    private var block = [UInt64](repeating: 0, count: 128 * 1024)

    init(seed: UInt64) { random = SampleRandom(seed: seed ^ 0x6772_6169_6E) }

    /// `count` new bytes, at most a megabyte.
    mutating func next(_ count: Int) -> [UInt8] {
        for index in 0..<(count + 7) / 8 { block[index] = random.next() & 0xFEFE_FEFE_FEFE_FEFE }
        return block.withUnsafeBytes { Array($0.prefix(count)) }
    }
}

extension CardFolder {
    mutating func add(
        _ path: String, _ layout: BulkShot.Layout, _ noise: inout NoiseBytes, modified: Int64
    ) throws(IngestError) {
        let size = UInt64(layout.head.count + layout.tail.count) + layout.noise
        try add(path, size: size, modified: modified) { (file) throws(IngestError) in
            try file.write(layout.head)
            var left = layout.noise
            while left > 0 {
                let piece = noise.next(Int(min(left, 1 << 20)))
                try file.write(piece)
                left -= UInt64(piece.count)
            }
            try file.write(layout.tail)
        }
    }
}
