public import FilmgateCore
public import PTPKit

/// Olympus OM-D and OM System bodies over USB.
public struct OlympusCamera: CameraModule {
    public struct Config: CameraConfig {
        public var camera = CameraOptions()
        public var remote = false
        public init() {}
        public static let schema = Schema<Self>(
            cameraFields + [
                .field(
                    "remote", \.remote,
                    "Take control of the body, in which mode it tells of frames as they are shot; given back at the end."
                )
            ])
    }
    public static let manifest = Manifest(
        "olympus", "Takes files from Olympus OM-D and OM System cameras.", stability: .experimental, gives: [.file])

    public let handler: OlympusHandler
    public let options: CameraOptions
    public let visit: CameraEnvironment

    public init(_ config: Config, _ context: ModuleContext) throws(IngestError) {
        (handler, options, visit) = (OlympusHandler(remote: config.remote), config.camera, CameraEnvironment(context))
    }
}

/// What OM bodies do differently: events of their own beside the standard's.
public struct OlympusHandler: ManufacturerHandler {
    static let controlMode: DevicePropertyCode = 0xD052
    /// Older and newer bodies number them differently.
    static let added: Set<EventCode> = [0xC002, 0xC102], slotChanged: Set<EventCode> = [0xC00E, 0xC10E]

    let remote: Bool
    public let quirks = Quirks.standard.with { $0.chunk = 1 << 20 }
    public let matches = [
        CameraMatch("made by Olympus", vendor: 0x07B4, manufacturer: "olympus"),
        CameraMatch("made by OM Digital Solutions", vendor: 0x33A2, manufacturer: "om digital"),
        CameraMatch("OM System body", vendor: 0x33A2, manufacturer: "omsystem"),
        CameraMatch("OM System's USB number", vendor: 0x33A2, onlyUSB: true),
    ]

    public func prepare(_ camera: isolated PTPCamera) throws(PTPError) { if remote { try control(1, camera) } }
    /// 2 is what the body starts with.
    public func release(_ camera: isolated PTPCamera) { if remote { try? control(2, camera) } }

    private func control(_ value: UInt16, _ camera: isolated PTPCamera) throws(PTPError) {
        guard camera.info.properties.contains(Self.controlMode) else { return }
        var writer = ByteWriter()
        writer.put(value)
        try camera.call(.setDevicePropValue, UInt32(Self.controlMode.rawValue), sending: writer.bytes)
    }

    public func news(_ camera: isolated PTPCamera, _ events: [PTPEvent]) throws(PTPError) -> [CameraNews] {
        StandardNews.read(
            events.map { event in
                if Self.added.contains(event.code) {
                    return PTPEvent(.objectAdded, transaction: event.transaction, event.parameters)
                }
                if Self.slotChanged.contains(event.code) {
                    return PTPEvent(.storeAdded, transaction: event.transaction, event.parameters)
                }
                return event
            })
    }
}
