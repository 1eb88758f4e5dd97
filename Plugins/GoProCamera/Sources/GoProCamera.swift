public import FilmgateCore
public import PTPKit

/// GoPro cameras that speak MTP over USB.
public struct GoProCamera: CameraModule {
    public typealias Config = CommonCameraConfig
    public static let manifest = Manifest(
        "gopro", "Takes files from GoPro cameras, chapters beyond 4 GiB included.", stability: .experimental,
        gives: [.file])

    public let handler = GoProHandler()
    public let options: CameraOptions
    public let visit: CameraEnvironment

    public init(_ config: Config, _ context: ModuleContext) throws(IngestError) {
        (options, visit) = (config.camera, CameraEnvironment(context))
    }
}

/// Large files in 64-bit parts, folders listed in one request.
public struct GoProHandler: ManufacturerHandler {
    public let quirks = Quirks.standard.with { quirks in
        quirks.bulkListing = true
        quirks.chunk = 8 << 20
    }
    public let matches = [
        CameraMatch("made by GoPro", manufacturer: "gopro"),
        CameraMatch("GoPro's USB number", vendor: 0x2672, onlyUSB: true),
    ]
    public init() {}
}
