public import FilmgateCore
public import PTPKit

/// Pentax and Ricoh bodies that speak MTP.
public struct PentaxCamera: CameraModule {
    public typealias Config = CommonCameraConfig
    public static let manifest = Manifest(
        "pentax", "Takes files from Pentax and Ricoh cameras.", stability: .experimental, gives: [.file])

    public let handler = PentaxHandler()
    public let options: CameraOptions
    public let visit: CameraEnvironment

    public init(_ config: Config, _ context: ModuleContext) throws(IngestError) {
        (options, visit) = (config.camera, CameraEnvironment(context))
    }
}

/// The standard, by name: nothing is known to differ.
public struct PentaxHandler: ManufacturerHandler {
    public let matches = [
        CameraMatch("made by Ricoh Imaging", manufacturer: "ricoh"),
        CameraMatch("made by Pentax", manufacturer: "pentax"),
        CameraMatch("Ricoh Imaging's USB number", vendor: 0x25FB, onlyUSB: true),
    ]
    public init() {}
}
