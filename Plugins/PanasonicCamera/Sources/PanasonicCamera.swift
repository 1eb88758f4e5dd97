public import FilmgateCore
public import PTPKit

/// Panasonic Lumix bodies over USB.
public struct PanasonicCamera: CameraModule {
    public struct Config: CameraConfig {
        public var camera = CameraOptions()
        public var remote = false
        public init() {}
        public static let schema = Schema<Self>(
            cameraFields + [
                .field(
                    "remote", \.remote,
                    "Open the make's own session, in which bodies set to tethering tell of frames as they are shot.")
            ])
    }
    public static let manifest = Manifest(
        "panasonic", "Takes files from Panasonic Lumix cameras.", stability: .experimental, gives: [.file])

    public let handler: PanasonicHandler
    public let options: CameraOptions
    public let visit: CameraEnvironment

    public init(_ config: Config, _ context: ModuleContext) throws(IngestError) {
        (handler, options, visit) = (PanasonicHandler(remote: config.remote), config.camera, CameraEnvironment(context))
    }
}

extension OperationCode {
    static let lumixOpen: Self = 0x9102, lumixClose: Self = 0x9103, lumixProperty: Self = 0x9402
}

/// What Lumix bodies do differently: they show all they can do only to a host that introduces itself, and have events
/// of their own.
public struct PanasonicHandler: ManufacturerHandler {
    /// MTP's SessionInitiatorInfo.
    static let initiator: DevicePropertyCode = 0xD406
    /// What the bodies look for in it.
    static let introduction = "Windows/6.2.9200 MTPClassDriver/6.2.9200.16384"
    static let added: EventCode = 0xC108, addedInMemory: EventCode = 0xC109

    let remote: Bool
    public let quirks = Quirks.standard.with { $0.chunk = 1 << 20 }
    public let matches = [
        CameraMatch("made by Panasonic", vendor: 0x04DA, manufacturer: "panasonic"),
        CameraMatch("Panasonic's USB number", vendor: 0x04DA, onlyUSB: true),
    ]

    public func prepare(_ camera: isolated PTPCamera) throws(PTPError) {
        if camera.info.properties.contains(Self.initiator) { try introduce(camera) }
        if remote, camera.info.offers(.lumixOpen) { try camera.call(.lumixOpen, 0x0001_0001) }
    }

    /// Not decisive: a body that does not want to hear it serves its card all the same.
    private func introduce(_ camera: isolated PTPCamera) throws(PTPError) {
        var writer = ByteWriter()
        writer.put(string: Self.introduction)
        do throws(PTPError) {
            try camera.call(.setDevicePropValue, UInt32(Self.initiator.rawValue), sending: writer.bytes)
            try camera.readInfo()
        } catch { if error.refusal == nil { throw error } }
    }

    public func news(_ camera: isolated PTPCamera, _ events: [PTPEvent]) throws(PTPError) -> [CameraNews] {
        StandardNews.read(
            events.map { event in
                guard [Self.added, Self.addedInMemory].contains(event.code) else { return event }
                return PTPEvent(.objectAdded, transaction: event.transaction, event.parameters)
            })
    }

    public func release(_ camera: isolated PTPCamera) {
        if remote, camera.info.offers(.lumixClose) { _ = try? camera.call(.lumixClose, 0x0001_0001) }
    }
}
