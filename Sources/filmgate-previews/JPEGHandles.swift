import CTurboJPEG

/// A decoder of libjpeg-turbo.
struct JPEGDecoder: ~Copyable {
    private let raw: tjhandle

    init?() {
        guard let raw = tjInitDecompress() else { return nil }
        self.raw = raw
    }

    deinit { tjDestroy(raw) }

    /// The picture in so many eighths of its size; nil when nothing could be decoded.
    ///
    /// `isWhole`: nothing was missing or damaged; what is missing is grey.
    borrowing func decode(_ jpeg: [UInt8], _ head: JPEGHead, eighths: Int) -> (picture: Raster, isWhole: Bool)? {
        let width = (head.width * eighths + 7) / 8, height = (head.height * eighths + 7) / 8
        let isInk = head.components == 4, format = isInk ? TJPF_CMYK : TJPF_RGB
        var pixels = [UInt8](repeating: 128, count: width * height * (isInk ? 4 : 3))
        let code = tjDecompress2(
            raw, jpeg, UInt(jpeg.count), &pixels, Int32(width), 0, Int32(height), Int32(format.rawValue),
            TJFLAG_LIMITSCANS)
        guard code == 0 || tjGetErrorCode(raw) == Int32(TJERR_WARNING.rawValue) else { return nil }
        let picture =
            isInk
            ? Raster(width: width, height: height, ink: pixels) : Raster(width: width, height: height, pixels: pixels)
        return (picture, code == 0)
    }
}

/// An encoder of libjpeg-turbo.
struct JPEGEncoder: ~Copyable {
    private let raw: tjhandle

    init?() {
        guard let raw = tjInitCompress() else { return nil }
        self.raw = raw
    }

    deinit { tjDestroy(raw) }

    /// Nil when there is no memory for it.
    borrowing func encode(_ picture: Raster, quality: Int, profile: [UInt8]) -> [UInt8]? {
        var buffer: UnsafeMutablePointer<UInt8>?, size: UInt = 0
        defer { tjFree(buffer) }
        let code = tjCompress2(
            raw, picture.pixels, Int32(picture.width), 0, Int32(picture.height), Int32(TJPF_RGB.rawValue), &buffer,
            &size, Int32(TJSAMP_420.rawValue), Int32(quality), 0)
        guard code == 0, let buffer, size > 4 else { return nil }
        return Self.with(profile, Array(UnsafeBufferPointer(start: buffer, count: Int(size))))
    }

    /// The colour profile stands behind the first segment.
    private static func with(_ profile: [UInt8], _ jpeg: [UInt8]) -> [UInt8] {
        let length = profile.count + 16, end = 4 + Int(jpeg[4]) << 8 + Int(jpeg[5])
        guard !profile.isEmpty, length <= 0xFFFF, jpeg[3] == 0xE0, end <= jpeg.count else { return jpeg }
        let head: [UInt8] =
            [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 0xFF)] + Array("ICC_PROFILE\0".utf8) + [1, 1]
        return Array(jpeg[..<end]) + head + profile + Array(jpeg[end...])
    }
}
