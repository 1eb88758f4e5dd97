public import FilmgateCore
public import PTPKit

/// Leica SL, Q, M and S bodies: MTP, unlocked by one operation.
public struct LeicaCamera: CameraModule {
    public typealias Config = CommonCameraConfig
    public static let manifest = Manifest(
        "leica", "Takes files from Leica cameras.", stability: .experimental, gives: [.file])

    public let handler = LeicaHandler()
    public let options: CameraOptions
    public let visit: CameraEnvironment

    public init(_ config: Config, _ context: ModuleContext) throws(IngestError) {
        (options, visit) = (config.camera, CameraEnvironment(context))
    }
}

public struct LeicaHandler: ManufacturerHandler {
    static let openControl: OperationCode = 0x9005, closeControl: OperationCode = 0x9006
    static let stayActive: OperationCode = 0x901D

    public let quirks = Quirks.standard.with { quirks in
        quirks.bulkListing = true
        quirks.keepAlive = .seconds(10)
    }
    public let matches = [
        CameraMatch("made by Leica", vendor: 0x1A98, manufacturer: "leica"),
        CameraMatch("Leica's USB number", vendor: 0x1A98, onlyUSB: true),
    ]

    public func prepare(_ camera: isolated PTPCamera) throws(PTPError) {
        if camera.info.offers(Self.openControl) { try camera.call(Self.openControl, 0) }
    }

    public func keepAlive(_ camera: isolated PTPCamera) throws(PTPError) {
        if camera.info.offers(Self.stayActive) { try camera.call(Self.stayActive) }
    }

    public func release(_ camera: isolated PTPCamera) {
        if camera.info.offers(Self.closeControl) { _ = try? camera.call(Self.closeControl) }
    }
}
