public import FilmgateCore
import MediaKit

/// Reads what each file says about itself: camera, time, exposure, place, rating; and whether the file is whole.
///
/// A damaged file gets a flag and goes on; only a medium that cannot be read is a failure.
public struct ExifStage: Module, Stage {
    public struct Config: ModuleConfig {
        public var complete = true
        public init() {}
        public static let schema: Schema<Self> = [
            .field("complete", \.complete, "Also check that the file is whole, and flag it `truncated` when it is not.")
        ]
    }

    public static let manifest = Manifest(
        "exif", "Reads what each file says about itself: camera, time, exposure, place, rating.", needs: [.file],
        gives: [.media])

    public var traits: StageTraits {
        var traits = StageTraits()
        traits.reads = true
        return traits
    }

    /// Files read at once; reading is a few system calls unless the disk is slow.
    static let width = 4

    private let complete: Bool
    private let makers: [any MakerNoteReader]
    private let pool = BlockingPool(width: Self.width)

    public init(_ config: Config, _ context: ModuleContext) throws(IngestError) {
        complete = config.complete
        makers = context.lookup.services.compactMap { $0 as? any MakerNoteReader }
    }

    public func process(_ asset: Asset, of shot: Shot) async throws(IngestError) -> Verdict {
        var asset = asset
        guard let file = asset.file else {
            throw IngestError(.unexpected, "`exif` was given \(asset.origin.name) without its bytes.")
        }
        // The staged file's own name is not the camera's.
        let name = asset.origin.name, complete = complete, makers = makers
        let reading = try await pool.run { () throws(IngestError) in
            try MediaReader.read(
                path: file.path, name: name, completeness: complete, content: complete, zeros: file.mayHoldZeros,
                makers: makers)
        }
        asset.media = reading.facts
        asset.flags.formUnion(reading.flags)
        return .pass(asset)
    }
}
