public import FilmgateCore

/// Writes made-up memory cards for trying out and for tests.
///
/// Blocks for the disk.
public enum SampleCard {
    /// What was written.
    public struct Written: Sendable, Hashable {
        public var files: Int, bytes: UInt64
    }

    /// Writes a small card below `directory`, which is created and must hold nothing yet.
    ///
    /// Three makes: JPEG with full Exif, RAW stand-ins (TIFF), HEIC, a movie, a voice memo, a sidecar, one frame twice
    /// under two names, one JPEG that ends too early, one odd name, and the junk that computers leave behind. All but
    /// the cut JPEG decode. The same seed and width give the same bytes, names and times. `width` is that of the
    /// pictures in pixels, 64…4000.
    public static func write(to directory: String, seed: UInt64 = 1, width: Int = 640) throws(IngestError) -> Written {
        guard (64...4000).contains(width) else {
            throw IngestError(.misconfigured, "A sample picture is 64 to 4000 pixels wide, not \(width).")
        }
        var folder = try CardFolder(creating: directory)
        let contents = SampleContents(seed: seed, width: width)
        for item in SampleItem.card {
            let frame = Frame.wedding[item.frame]
            try folder.add(item.path, contents.bytes(of: item, frame), modified: frame.modified)
        }
        try folder.finish(modified: Frame.wedding.first?.modified ?? 0)
        return folder.written
    }
}
