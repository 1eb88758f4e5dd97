public import FilmgateCore
public import PTPKit

/// Sony Alpha, FX, RX and ZV bodies: their card in MTP mode, or frames as they are shot in PC Remote mode.
public struct SonyCamera: CameraModule {
    public struct Config: CameraConfig {
        public var camera = CameraOptions()
        public var remote = false
        public init() {}
        public static let schema = Schema<Self>(
            cameraFields + [
                .field(
                    "remote", \.remote,
                    "Take frames live in PC Remote mode, in which the computer holds some of the body's controls.")
            ])
    }
    public static let manifest = Manifest(
        "sony", "Takes files from Sony cameras: their cards, or frames as they are shot.", stability: .experimental,
        gives: [.file])

    public let handler: SonyHandler
    public let options: CameraOptions
    public let visit: CameraEnvironment

    public init(_ config: Config, _ context: ModuleContext) throws(IngestError) {
        (handler, options, visit) = (SonyHandler(remote: config.remote), config.camera, CameraEnvironment(context))
    }
}

extension OperationCode {
    static let sonyConnect: Self = 0x9201, sonyExtendedInfo: Self = 0x9202, sonyProperties: Self = 0x9209
}

/// What Sony bodies do differently.
///
/// In MTP mode nothing; in PC Remote mode there is no card, only the frame in memory.
public struct SonyHandler: ManufacturerHandler {
    /// The frame in memory has always the same handle.
    static let memory = ObjectHandle(0xFFFF_C001)

    let remote: Bool
    /// `remote`: take frames live where the body is in PC Remote mode.
    public init(remote: Bool) { self.remote = remote }

    public let quirks = Quirks.standard.with { $0.chunk = 4 << 20 }

    public var matches: [CameraMatch] {
        let live = quirks.with { quirks in
            quirks.news = .polling(from: .milliseconds(100), upTo: .milliseconds(200))
            quirks.partial = .none
            quirks.settle = .zero
            quirks.silence = .seconds(40)
        }
        return [
            CameraMatch(
                "Sony in PC Remote mode", vendor: 0x054C, manufacturer: "sony",
                operations: [.sonyConnect, .sonyProperties], quirks: live),
            CameraMatch("made by Sony", vendor: 0x054C, manufacturer: "sony"),
        ]
    }

    private func isRemote(_ camera: isolated PTPCamera) -> Bool {
        camera.info.offers(.sonyConnect) && camera.info.offers(.sonyProperties)
    }

    /// Five requests with contiguous ids; between them the body is asked until it has its list of properties ready.
    public func prepare(_ camera: isolated PTPCamera) throws(PTPError) {
        guard isRemote(camera) else { return }
        guard remote else {
            throw .denied(
                "it is in PC Remote mode; write `remote: true` to take frames live, or set it to MTP for its card")
        }
        _ = try camera.read(.sonyConnect, 1, 0, 0)
        _ = try camera.read(.sonyConnect, 2, 0, 0)
        for _ in 0..<20 {
            if try !camera.read(.sonyExtendedInfo, 0xC8).isEmpty { break }
            try camera.rest(.milliseconds(50))
        }
        _ = try camera.read(.sonyConnect, 3, 0, 0)
    }

    public func list(_ camera: isolated PTPCamera, into listedObjects: inout ListedObjects) throws(PTPError) {
        guard isRemote(camera) else { return try StandardListing.list(camera, into: &listedObjects) }
        // After coming back, the frame that was told about before may still be there.
        if camera[SonyMemory.self].waiting.isEmpty { _ = try frame(camera) }
        for frame in camera[SonyMemory.self].waiting.values { listedObjects.add(frame) }
    }

    public func news(_ camera: isolated PTPCamera, _ events: [PTPEvent]) throws(PTPError) -> [CameraNews] {
        guard isRemote(camera) else { return StandardNews.read(events) }
        // One frame at a time: the next one takes this one's place, and its handle, when this one has been read.
        if let waiting = camera[SonyMemory.self].waiting.values.first { return [.object(waiting)] }
        return try frame(camera).map { [.object($0)] } ?? []
    }

    /// The frame in memory, once it is whole; from then on it waits to be read.
    private func frame(_ camera: isolated PTPCamera) throws(PTPError) -> CameraObject? {
        guard try isReady(camera) else { return nil }
        let info = try camera.objectInfo(Self.memory)
        guard !info.isFolder, info.size > 0 else { return nil }
        camera[SonyMemory.self].count += 1
        var object = CameraObject(
            handle: ObjectHandle(0xFE00_0000 | camera[SonyMemory.self].count & 0xFF_FFFF), storage: info.storage,
            folders: ["memory"], name: info.name, size: info.size, time: info.time, format: info.format)
        object.isHeld = true
        camera[SonyMemory.self].distinguish(&object)
        camera[SonyMemory.self].waiting[object.handle] = object
        return object
    }

    /// Reading the frame before the body says that it is whole hangs its firmware: the property decides, never the
    /// event.
    private func isReady(_ camera: isolated PTPCamera) throws(PTPError) -> Bool {
        let data = try camera.read(.sonyProperties)
        return try SonyProperties.framesInMemory(data.span.bytes) >= 0x8000
    }

    public func again(_ object: CameraObject, _ camera: isolated PTPCamera) throws(PTPError) -> CameraObject? {
        isRemote(camera) ? nil : try StandardListing.object(object.handle, camera)
    }

    public func fetch(
        _ object: CameraObject, _ range: Range<UInt64>, _ camera: isolated PTPCamera, into sink: any ByteSink
    ) throws(PTPError) {
        guard isRemote(camera) else { return try StandardFetch.fetch(object, range, camera, into: sink) }
        guard camera[SonyMemory.self].waiting[object.handle] != nil, range.lowerBound == 0 else {
            throw .missing(object.name)
        }
        try take(object, camera, into: sink)
    }

    /// The body shows the next frame only after this one has been read: so it is, into nothing.
    public func decline(_ object: CameraObject, _ camera: isolated PTPCamera) throws(PTPError) {
        // The session marks objects with their medium, and those that wait here bear no mark.
        guard let waiting = camera[SonyMemory.self].waiting[object.handle],
            camera.marked(waiting) == camera.marked(object)
        else { return }
        try take(object, camera, into: NoSink())
    }

    private func take(_ object: CameraObject, _ camera: isolated PTPCamera, into sink: any ByteSink) throws(PTPError) {
        var inMemory = object
        inMemory.handle = Self.memory
        camera[SonyMemory.self].waiting[object.handle] = nil
        try StandardFetch.whole(inMemory, from: 0, camera, into: sink)
        camera[SonyMemory.self].noteTaken(object)
    }

    private struct NoSink: ByteSink {
        func write(_ bytes: RawSpan) throws(IngestError) {}
    }
}

/// The frame that was told about and not yet read, and what was read before it.
struct SonyMemory: HandlerMemory {
    private struct Look: Hashable {
        var name: String, size: UInt64, time: CivilTime?
        init(_ object: CameraObject) { (name, size, time) = (object.name, object.size, object.time) }
    }
    var waiting: [ObjectHandle: CameraObject] = [:]
    var count: UInt32 = 0
    /// How those looked that were read, as hashes: one that wrongly seems to be among them gets a number, and no more.
    private var taken = PackedTable<Void>()

    mutating func noteTaken(_ object: CameraObject) { _ = taken.insert(Look(object).hashValue) }

    /// A frame that has been read is gone: another one that looks the same gets a name of its own.
    func distinguish(_ object: inout CameraObject) {
        let name = FileName(object.name)
        var number = 2
        while taken[Look(object).hashValue] != nil {
            object.name = name.ext.isEmpty ? "\(name.stem)~\(number)" : "\(name.stem)~\(number).\(name.ext)"
            number += 1
        }
    }
}
