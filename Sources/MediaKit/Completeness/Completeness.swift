/// Whether a file holds all that its own structure promises.
public enum Completeness: Sendable, Hashable {
    case complete
    /// The sentence says what is missing.
    case truncated(String)
    /// The format does not tell, or nothing contradicts.
    case unknown

    /// Checks by bounded reads: structure and ends, never the image data.
    ///
    /// A JPEG whose end is not near the file's end is scanned once. May block.
    public static func check(_ source: some ByteSource) -> Completeness {
        let file = ByteWindow(source).whole
        guard let format = FileSignature.format(of: file.upTo(FileSignature.length)) else { return .unknown }
        return check(file, format)
    }

    static func check(_ file: ByteRegion, _ format: FileFormat) -> Completeness {
        let found = verdict(file, format)
        // What could not be looked at proves nothing.
        if file.window.failed || file.window.exhausted, found != .complete { return .unknown }
        return found
    }

    private static func verdict(_ file: ByteRegion, _ format: FileFormat) -> Completeness {
        switch format {
        case .jpeg: JPEGCompleteness.check(file)
        case .heif, .avif: BoxCompleteness.checkImage(file)
        case .movie, .audioMovie, .cr3: BoxCompleteness.checkMovie(file)
        case .tiff, .orf: TIFFCompleteness.check(file)
        case .rw2: TIFFCompleteness.checkRW2(file)
        case .raf: checkRAF(file)
        case .crw: checkCRW(file)
        case .x3f: X3FFile.sections(of: file) == nil ? .truncated("The directory at the end is missing.") : .complete
        case .mrw: checkMRW(file)
        case .png: checkPNG(file)
        case .avi, .wav, .webp: RIFFCompleteness.check(file)
        case .exv, .jp2, .jxl, .psd, .gif, .bmp, .transportStream, .mxf, .matroska, .dv, .r3d, .eip, .reversedRAW, .xml:
            .unknown
        }
    }

    /// The end chunk is empty and always the same; only where something follows it are the chunks walked.
    private static func checkPNG(_ file: ByteRegion) -> Completeness {
        let end: [UInt8] = [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44]
        if file.count > 20, file.bytes(file.count - 12, 8)?.starts(with: end) == true { return .complete }
        return PNGFile.walk(file) { _, _ in true } ? .complete : .truncated("The end chunk is missing.")
    }

    private static func checkRAF(_ file: ByteRegion) -> Completeness {
        for (field, name) in [
            (RAFFile.jpegField, "preview"), (RAFFile.directoryField, "directory"), (RAFFile.dataField, "sensor data"),
        ] {
            guard let place = RAFFile.part(file, field) else { continue }
            if file.part(place.offset, place.length) == nil {
                return .truncated("The \(name) runs past the end of the file.")
            }
        }
        return .complete
    }

    private static func checkCRW(_ file: ByteRegion) -> Completeness {
        guard let order = ByteOrder(mark: file.upTo(2)), let start = file.u32(2, order),
            let heap = file.from(UInt64(start)),
            CIFFFile.walk(heap, order, depth: 0, { _, _ in })
        else { return .truncated("The directory at the end is missing or points outside the file.") }
        return .complete
    }

    /// The sensor's rows follow the blocks: 12 bits a pixel packed, or 16.
    private static func checkMRW(_ file: ByteRegion) -> Completeness {
        guard let length = file.u32(4, .big), file.part(8, UInt64(length)) != nil else {
            return .truncated("The header runs past the end of the file.")
        }
        guard file.bytes(8, 4)?.starts(with: "\0PRD") == true, let height = file.u16(24, .big),
            let width = file.u16(26, .big),
            let bits = file.bytes(32, 1)?[0], bits == 12 || bits == 16
        else { return .unknown }
        let needed = UInt64(height) * UInt64(width) * UInt64(bits) / 8
        return file.count - 8 - UInt64(length) < needed
            ? .truncated("Rows of the sensor's data are missing.") : .complete
    }
}
