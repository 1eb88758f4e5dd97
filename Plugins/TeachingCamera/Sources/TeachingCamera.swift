public import FilmgateCore
public import PTPKit

/// Cameras of a make that does not exist: what a new make costs, to be read beside the README.
public struct TeachingCamera: CameraModule {
    // Step 1: a name, a sentence, and the three lines that every camera module has.
    public typealias Config = CommonCameraConfig
    public static let manifest = Manifest(
        "teaching", "Takes files from Acme cameras.", stability: .experimental, gives: [.file])
    public let handler = TeachingHandler()
    public let options: CameraOptions
    public let visit: CameraEnvironment

    public init(_ config: Config, _ context: ModuleContext) throws(IngestError) {
        (options, visit) = (config.camera, CameraEnvironment(context))
    }
}

public struct TeachingHandler: ManufacturerHandler {
    // Step 2: which cameras are ours. The first line that fits decides.
    public let matches = [CameraMatch("made by Acme", vendor: 0x1209, manufacturer: "acme")]

    // Step 3: what differs from the standard and is a mere number.
    public let quirks = Quirks.standard.with { quirks in
        quirks.chunk = 256 << 10
        quirks.keepAlive = .seconds(5)
    }

    // Step 4: what differs and is a deed. Whatever is not written is standard PTP.
    static let stayAwake: OperationCode = 0x9A01
    static let shutter: EventCode = 0xC0A1

    /// An Acme body sleeps after eight seconds unless it is told not to.
    public func keepAlive(_ camera: isolated PTPCamera) throws(PTPError) {
        if camera.info.offers(Self.stayAwake) { try camera.call(Self.stayAwake) }
    }

    /// Its event names the frame in its second parameter; the first counts the shots.
    public func news(_ camera: isolated PTPCamera, _ events: [PTPEvent]) throws(PTPError) -> [CameraNews] {
        let frames = events.filter { $0.code == Self.shutter }.compactMap {
            $0.parameter(1).map { CameraNews.added(ObjectHandle($0)) }
        }
        return frames + StandardNews.read(events)
    }
}
