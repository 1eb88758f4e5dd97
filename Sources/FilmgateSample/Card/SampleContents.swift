internal import FilmgateCore

/// Makes the contents of a sample card's files; the same seed and width give the same bytes.
struct SampleContents {
    let seed: UInt64, width: Int
    private var height: Int { width * 2 / 3 }

    func bytes(of item: SampleItem, _ frame: Frame) -> [UInt8] {
        switch item.content {
        case .jpeg: jpeg(frame)
        case .raw: raw(frame)
        case .heic: heic(frame)
        case .movie: movie(frame)
        case .memo: WAVFile.bytes()
        case .sidecar(let name, let rating): XMPSidecar.bytes(for: name, rating: rating, label: "Select")
        case .truncated: Array(jpeg(next(frame)).dropLast(width * 8))
        case .junk(let bytes): bytes + [UInt8](repeating: 0, count: 120)
        }
    }

    func jpeg(_ frame: Frame) -> [UInt8] {
        let scene = Scene(seed: frame.seed(of: seed))
        let exif = ExifBlock(frame: frame, width: width, height: height).bytes(thumbnail: plain(scene, 160))
        return JPEGEncoder.encode(Planes(scene, width: width, height: height), exif: exif)
    }

    /// The following press of the shutter, a second later.
    private func next(_ frame: Frame) -> Frame {
        var next = frame
        next.number += 1
        next.captured = frame.captured.adding(seconds: 1) ?? frame.captured
        return next
    }

    private func plain(_ scene: Scene, _ width: Int) -> [UInt8] {
        JPEGEncoder.encode(Planes(scene, width: width, height: width * 2 / 3))
    }

    private func raw(_ frame: Frame) -> [UInt8] {
        let scene = Scene(seed: frame.seed(of: seed))
        return RawStandIn.bytes(
            frame, scene: scene, preview: plain(scene, width / 2), width: width / 4 * 2, height: height / 4 * 2)
    }

    private func heic(_ frame: Frame) -> [UInt8] {
        let scene = Scene(seed: frame.seed(of: seed))
        let picture = Planes(scene, width: (width / 2 + 15) / 16 * 16, height: (height / 2 + 15) / 16 * 16)
        return HEICFile(
            picture: picture, exif: ExifBlock(frame: frame, width: picture.width, height: picture.height).bytes()
        ).bytes()
    }

    private func movie(_ frame: Frame) -> [UInt8] {
        let size = (width: width / 32 * 16, height: height / 32 * 16)
        let pictures = (0..<5).map { index in
            JPEGEncoder.encode(
                Planes(Scene(seed: frame.seed(of: seed) &+ UInt64(index)), width: size.width, height: size.height))
        }
        return MOVFile(
            body: frame.body, captured: frame.captured, width: size.width, height: size.height, pictures: pictures
        ).bytes()
    }
}
