public import FilmgateCore

/// What reading a file's metadata gave.
public struct MediaReading: Sendable, Hashable {
    public var facts = MediaFacts()
    /// `MediaFlag`s.
    public var flags: Set<String> = []
    /// What the bytes are; nil when unknown.
    public var format: FileFormat?
    /// `unknown` when not asked for.
    public var completeness = Completeness.unknown

    public init() {}

    /// The kind of file that the bytes are, whatever its name.
    public var kindByContent: MediaKind? { format?.kind }
}

/// Reads what media files say about themselves.
///
/// Which tags come from where: self-contained Exif blocks (JPEG, HEIF, AVIF, CR3, RAF, PNG, WebP, JP2, JXL, PSD,
/// recordings) are parsed by libexif; the directories of TIFF-based files by `TIFFReader`, as libexif reads only the
/// first 64 KiB and no SubIFDs; boxes, chunks, CIFF, X3F properties, AVCHD's time and XMP by this kit. Maker notes are
/// read by the makes' own readers, where any are given.
public enum MediaReader {
    /// Opens and reads the file.
    ///
    /// Blocks for the disk: usually one read of 64 KiB, never more than 4 MiB in all (a damaged JPEG is scanned once to
    /// its end). May be called from many threads. `notFound`, `unreadable` (also when the medium fails while reading).
    /// - Parameters: - path: absolute, or relative to the working directory. - name: the file's name as its camera gave
    ///   it; nil to take the path's. - completeness: whether to check that the file is whole. - content: with
    ///   `completeness`, whether also to look for zeros or noise in place of a picture: a few more bytes of each 32
    ///   KiB. - zeros: false where somebody has seen already that nowhere 64 KiB in a row are zeros: they are not
    ///   looked for then. - unwritten: with `completeness`, whether to look for parts that are not written yet: 16 bytes of
    ///   each 32 KiB. - facts: whether to read what the file says about itself; without, only what it is and whether
    ///   it is whole. - makers: who reads maker notes; without any they are not looked for.
    public static func read(
        path: String, name: String? = nil, completeness: Bool = true, content: Bool = false, zeros: Bool = true,
        unwritten: Bool = false, facts: Bool = true, makers: [any MakerNoteReader] = []
    ) throws(IngestError) -> MediaReading {
        let source = try FileSource(path: path)
        let last = path.utf8.lastIndex(of: 0x2F).map { String(path[path.utf8.index(after: $0)...]) } ?? path
        let read = read(
            source, name: name ?? last, completeness: completeness, content: content, zeros: zeros,
            unwritten: unwritten, facts: facts, makers: makers)
        guard let reading = read else {
            throw IngestError(.unreadable, "\(path) cannot be read: the medium reports an error.")
        }
        return reading
    }

    /// Reads what `source` holds.
    ///
    /// Nil when the medium failed. Never traps and always ends, whatever the bytes are.
    /// - Parameter name: the file's name, for `kind-mismatch`; nil to accept any content.
    public static func read(
        _ source: some ByteSource, name: String?, completeness: Bool = true, content: Bool = false, zeros: Bool = true,
        unwritten: Bool = false, facts: Bool = true, makers: [any MakerNoteReader] = []
    ) -> MediaReading? {
        let window = ByteWindow(source, head: facts ? ByteWindow.headSize : ByteWindow.shortHeadSize)
        let file = window.whole
        var reading = MediaReading()
        reading.format = FileSignature.format(of: file.upTo(FileSignature.length))
        if let format = reading.format {
            if facts {
                var findings = Findings(makers: makers)
                format.locate(in: file, into: &findings)
                (reading.facts, reading.flags) = (findings.result, findings.allFlags)
            }
            if completeness { reading.completeness = Completeness.check(file, format) }
        }
        if let name { reading.compare(with: FileName(name), isEmpty: source.size == 0) }
        if completeness, content, zeros || reading.format == nil, let name,
            let what = MissingContent.find(source, file, reading.format, FileName(name))
        {
            reading.completeness = .truncated(what)
        }
        if completeness, unwritten, let name {
            reading.findUnwritten(source, file, MediaKind(fileName: name))
        }
        if case .truncated = reading.completeness { reading.flags.insert(MediaFlag.truncated) }
        return window.failed ? nil : reading
    }
}

extension MediaReading {
    fileprivate mutating func findUnwritten(_ source: some ByteSource, _ file: ByteRegion, _ kind: MediaKind) {
        if case .truncated = completeness { return }
        if let what = UnwrittenPart.find(source, file, format, kind) { completeness = .truncated(what) }
    }

    /// Notes where the bytes are not what the name promises.
    ///
    /// Nothing at all is the beginning of any file.
    fileprivate mutating func compare(with name: FileName, isEmpty: Bool) {
        let kind = MediaKind(fileName: name.stem + "." + name.ext)
        if let format {
            if !format.fits(kind, ext: name.ext) { flags.insert(MediaFlag.kindMismatch) }
        } else if isEmpty {
            if kind != .other { completeness = .truncated("The file is empty.") }
        } else if kind == .jpeg || kind == .heif {
            // Of these kinds every format is known.
            flags.insert(MediaFlag.kindMismatch)
        }
    }
}

extension FileFormat {
    /// Finds the metadata in a file of this format.
    func locate(in file: ByteRegion, into findings: inout Findings) {
        switch self {
        case .jpeg: JPEGFile.locate(in: file, into: &findings)
        case .exv: JPEGFile.locate(in: file, from: 7, into: &findings)
        case .tiff, .orf: TIFFFile.locate(in: file, into: &findings)
        case .rw2: RW2File.locate(in: file, into: &findings)
        case .heif, .avif: HEIFFile.locate(in: file, into: &findings)
        case .cr3, .movie, .audioMovie: MovieFile.locate(in: file, into: &findings)
        case .jp2, .jxl: JP2File.locate(in: file, into: &findings)
        case .raf: RAFFile.locate(in: file, into: &findings)
        case .crw: CIFFFile.locate(in: file, into: &findings)
        case .mrw: MRWFile.locate(in: file, into: &findings)
        case .x3f: X3FFile.locate(in: file, into: &findings)
        case .avi, .wav, .webp: RIFFFile.locate(in: file, into: &findings)
        case .png: PNGFile.locate(in: file, into: &findings)
        case .psd: PSDFile.locate(in: file, into: &findings)
        case .transportStream: TransportStream.locate(in: file, into: &findings)
        case .mxf: MXFFile.locate(in: file, into: &findings)
        case .matroska: MatroskaFile.locate(in: file, into: &findings)
        case .dv: DVFile.locate(in: file, into: &findings)
        case .r3d: R3DFile.locate(in: file, into: &findings)
        case .eip: EIPFile.locate(in: file, into: &findings)
        case .reversedRAW: ReversedRAWFile.locate(in: file, into: &findings)
        case .xml: SidecarFile.locate(in: file, into: &findings)
        case .gif: BitmapFiles.locateGIF(in: file, into: &findings)
        case .bmp: BitmapFiles.locateBMP(in: file, into: &findings)
        }
    }
}
