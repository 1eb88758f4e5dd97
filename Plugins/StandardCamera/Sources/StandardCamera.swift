public import FilmgateCore
public import PTPKit

/// Any camera that follows ISO 15740 or MTP, whatever its make.
public struct StandardCamera: CameraModule {
    public struct Config: CameraConfig {
        public var camera = CameraOptions()
        public var bulk = true
        public init() {}
        public static let schema = Schema<Self>(
            cameraFields + [.field("bulk", \.bulk, "List a folder in one request where the camera offers that.")])
    }

    public static let manifest = Manifest(
        "ptp", "Takes files from any camera that follows the PTP or MTP standard.", stability: .beta, gives: [.file])

    public let handler: StandardHandler
    public let options: CameraOptions
    public let visit: CameraEnvironment

    public init(_ config: Config, _ context: ModuleContext) throws(IngestError) {
        let quirks = Quirks.standard.with { quirks in
            quirks.bulkListing = config.bulk
            quirks.chunk = 4 << 20
        }
        (handler, options, visit) = (StandardHandler(quirks: quirks), config.camera, CameraEnvironment(context))
    }
}
