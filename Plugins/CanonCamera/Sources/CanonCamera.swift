public import FilmgateCore
public import PTPKit

/// Canon EOS bodies, over USB and Wi-Fi, while their owner goes on shooting.
public struct CanonCamera: CameraModule {
    public typealias Config = CommonCameraConfig
    public static let manifest = Manifest(
        "canon", "Takes files from Canon EOS cameras as they are shot, and what is on their cards.", stability: .beta,
        gives: [.file])

    public let handler = CanonHandler()
    public let options: CameraOptions
    public let visit: CameraEnvironment

    public init(_ config: Config, _ context: ModuleContext) throws(IngestError) {
        (options, visit) = (config.camera, CameraEnvironment(context))
    }
}

extension OperationCode {
    static let eosListing: Self = 0x9109, eosPartial: Self = 0x9107, eosEventMode: Self = 0x9115
    static let eosEvents: Self = 0x9116
    static let eosTransferComplete: Self = 0x9117, eosKeepOn: Self = 0x911D, eosPartial64: Self = 0x9174
}

/// What EOS bodies do differently: events are fetched by an operation, and a folder is listed in one request.
public struct CanonHandler: ManufacturerHandler {
    /// Said by Canon's own answers: the object or the memory is not ready yet.
    private static let notReady: Set<ResponseCode> = [.deviceBusy, 0xA102, 0xA106]

    public let quirks = Quirks.standard.with { quirks in
        // Larger parts upset some EOS R bodies.
        quirks.chunk = 1 << 20
        quirks.news = .polling(from: .milliseconds(50), upTo: .milliseconds(200))
        quirks.busy = notReady
        quirks.settle = .zero
        quirks.keepAlive = .seconds(10)
    }

    /// After CloseSession over USB these answer nothing until they are plugged in again (libgphoto2's list).
    private static let staysOpen = ["5D Mark IV", "80D", "5DS", "EOS R", "EOS RP", "2000D", "1500D"]

    public init() {}

    public var matches: [CameraMatch] {
        let open = quirks.with { $0.closesSession = false }
        let stubborn = Self.staysOpen.map { model in
            CameraMatch(
                "EOS body that must not be closed over USB", vendor: 0x04A9, manufacturer: "canon",
                exactModel: "Canon " + Self.full(model),
                operations: [.eosEventMode, .eosEvents], onlyUSB: true, quirks: open)
        }
        let any = CameraMatch(
            "EOS event operations", vendor: 0x04A9, manufacturer: "canon", operations: [.eosEventMode, .eosEvents])
        return stubborn + [any]
    }

    private static func full(_ model: String) -> String { model.hasPrefix("EOS") ? model : "EOS " + model }

    /// Events on, and what the body had to say about earlier times off the queue.
    ///
    /// No remote mode: the body stays its owner's.
    public func prepare(_ camera: isolated PTPCamera) throws(PTPError) {
        try camera.call(.eosEventMode, 1)
        _ = try camera.read(.eosEvents)
    }

    public func list(_ camera: isolated PTPCamera, into listedObjects: inout ListedObjects) throws(PTPError) {
        let before = listedObjects
        do throws(PTPError) { try EOSListing.list(camera, into: &listedObjects) } catch {
            // Some bodies list the operation and refuse it, or answer nonsense.
            guard StandardListing.mayGoOn(after: error, camera) else { throw error }
            listedObjects = before
            try StandardListing.list(camera, into: &listedObjects)
        }
    }

    public func news(_ camera: isolated PTPCamera, _ events: [PTPEvent]) throws(PTPError) -> [CameraNews] {
        let data = try camera.read(.eosEvents)
        var news: [CameraNews] = []
        for record in EOSEvents(data.span.bytes).records {
            if let item = try interpret(record, camera) { news.append(item) }
        }
        return news
    }

    private func interpret(_ record: EOSEvents.Record, _ camera: isolated PTPCamera) throws(PTPError) -> CameraNews? {
        switch record {
        case .added(let object):
            guard object.format != .association, object.handle.isReal else { return nil }
            // Without its time it could not be told from the same file in a listing.
            if object.time == nil { return .added(object.handle) }
            let folders = try StandardListing.folders(
                downTo: object.parent, of: object.handle, in: object.storage, camera)
            let name =
                EOSListing.isWhole(object.name)
                ? object.name : try EOSListing.fullName(object.handle, camera) ?? object.name
            return .object(
                CameraObject(
                    handle: object.handle, storage: object.storage, folders: folders, name: name, size: object.size,
                    time: object.time, format: object.format, group: object.group))
        case .waiting(let object):
            camera[EOSMemory.self].inMemory.insert(object.handle)
            var frame = CameraObject(
                handle: object.handle, storage: object.storage, folders: ["memory"], name: object.name,
                size: object.size, time: object.time, format: object.format)
            frame.isHeld = true
            return .object(frame)
        case .addedHandle(let handle): return .added(handle)
        case .removed(let handle): return .removed(handle)
        case .storesChanged: return .changed
        case .other: return nil
        }
    }

    public func fetch(
        _ object: CameraObject, _ range: Range<UInt64>, _ camera: isolated PTPCamera, into sink: any ByteSink
    ) throws(PTPError) {
        guard camera[EOSMemory.self].inMemory.contains(object.handle) else {
            return try fromCard(object, range, camera, into: sink)
        }
        let part: StandardFetch.Part = { Operation(.eosPartial, [$0.rawValue, UInt32(truncatingIfNeeded: $1), $2]) }
        try StandardFetch.chunks(object, range, camera, part, into: sink)
        // The body holds the frame in its memory until it hears that we have it.
        if range.upperBound == object.size {
            try camera.call(.eosTransferComplete, object.handle.rawValue)
            camera[EOSMemory.self].inMemory.remove(object.handle)
        }
    }

    /// The body lets go of a frame in its memory.
    public func decline(_ object: CameraObject, _ camera: isolated PTPCamera) throws(PTPError) {
        guard camera[EOSMemory.self].inMemory.contains(object.handle) else { return }
        try camera.call(.eosTransferComplete, object.handle.rawValue)
        camera[EOSMemory.self].inMemory.remove(object.handle)
    }

    public func givesParts(_ object: CameraObject, _ camera: isolated PTPCamera) -> Bool {
        if camera[EOSMemory.self].inMemory.contains(object.handle) || StandardFetch.givesParts(object, camera) {
            return true
        }
        return camera.info.offers(.eosPartial64) && !camera[EOSMemory.self].refusesWideParts
    }

    /// Clips that 32 bits cannot address are read by the make's own operation, where the standard's 64-bit one is
    /// missing.
    private func fromCard(
        _ object: CameraObject, _ range: Range<UInt64>, _ camera: isolated PTPCamera, into sink: any ByteSink
    ) throws(PTPError) {
        let isWide = object.size >= UInt64(UInt32.max) && !camera.info.offers(.getPartialObject64)
        guard isWide, camera.info.offers(.eosPartial64), !camera[EOSMemory.self].refusesWideParts else {
            return try StandardFetch.fetch(object, range, camera, into: sink)
        }
        let part: StandardFetch.Part = {
            Operation(
                .eosPartial64, [$0.rawValue, UInt32(truncatingIfNeeded: $1), UInt32(truncatingIfNeeded: $1 >> 32), $2])
        }
        do throws(PTPError) { try StandardFetch.chunks(object, range, camera, part, into: sink) } catch {
            guard error.refusal == .operationNotSupported || error.refusal == .invalidParameter else { throw error }
            // Nothing of this piece has been passed on when its first part is refused.
            camera[EOSMemory.self].refusesWideParts = true
            try StandardFetch.fetch(object, range, camera, into: sink)
        }
    }

    public func keepAlive(_ camera: isolated PTPCamera) throws(PTPError) {
        if camera.info.offers(.eosKeepOn) { try camera.call(.eosKeepOn) }
    }

    public func release(_ camera: isolated PTPCamera) {
        _ = try? camera.read(.eosEvents)
        _ = try? camera.call(.eosEventMode, 0)
    }
}

/// Frames that wait in the body's memory, because its owner sends them to the computer.
struct EOSMemory: HandlerMemory {
    var inMemory: Set<ObjectHandle> = []
    var refusesWideParts = false
}
