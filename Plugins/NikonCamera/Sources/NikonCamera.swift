public import FilmgateCore
public import PTPKit

/// Nikon D, 1 and Z bodies, over USB and Wi-Fi.
public struct NikonCamera: CameraModule {
    public typealias Config = CommonCameraConfig
    public static let manifest = Manifest(
        "nikon", "Takes files from Nikon cameras as they are shot, and what is on their cards.", stability: .beta,
        gives: [.file])

    /// The number that a person compares on both screens, and its confirmation.
    public static let confidentialOperations: Set<OperationCode> = [.nikonPairingInfo, 0x935A]

    public let handler = NikonHandler()
    public let options: CameraOptions
    public let visit: CameraEnvironment

    public init(_ config: Config, _ context: ModuleContext) throws(IngestError) {
        (options, visit) = (config.camera, CameraEnvironment(context))
    }
}

extension OperationCode {
    static let nikonEvents: Self = 0x90C7, nikonReady: Self = 0x90C8, nikonEventsEx: Self = 0x941C
    static let nikonObjectSize: Self = 0x9421
    static let nikonPartialEx: Self = 0x9431, nikonApplicationMode: Self = 0x9435, nikonPairingInfo: Self = 0x952B
    static let nikonStorageIDs: Self = 0x9209
}

/// What Nikon bodies do differently: a queue of events that is asked for, 64-bit reads of their own, pairing on newer
/// ones.
public struct NikonHandler: ManufacturerHandler {
    /// Invalid status, and busy in its kinds: bulb, silent, movie.
    private static let notReady: Set<ResponseCode> = [.deviceBusy, 0xA004, 0xA200, 0xA201, 0xA202]

    public let quirks = Quirks.standard.with { quirks in
        quirks.chunk = 4 << 20
        quirks.news = .polling(from: .milliseconds(100), upTo: .milliseconds(250))
        quirks.busy = notReady
        quirks.sizeOperation = .nikonObjectSize
        quirks.keepAlive = .seconds(10)
    }

    public init() {}

    public var matches: [CameraMatch] {
        // The event queue of these is not to be relied on: their cards are listed again and again instead.
        let unreliable = quirks.with { $0.news = .listing(every: .seconds(2)) }
        let ones = ["NIKON 1 V1", "NIKON 1 J1", "NIKON 1 V2", "NIKON 1 S1", "NIKON 1 J2"].map { model in
            CameraMatch(
                "body of the 1 series", vendor: 0x04B0, manufacturer: "nikon", exactModel: model, quirks: unreliable)
        }
        return ones + [
            CameraMatch(
                "Nikon's event queue, newer form", vendor: 0x04B0, manufacturer: "nikon", operations: [.nikonEventsEx]),
            CameraMatch("Nikon's event queue", vendor: 0x04B0, manufacturer: "nikon", operations: [.nikonEvents]),
            CameraMatch("made by Nikon, no event queue", vendor: 0x04B0, manufacturer: "nikon", quirks: unreliable),
        ]
    }

    /// Newer Z bodies want to be told that a paired application speaks.
    ///
    /// Nothing of the kind is sent to bodies that do not list it.
    public func prepare(_ camera: isolated PTPCamera) throws(PTPError) {
        guard camera.info.offers(.nikonPairingInfo), camera.info.offers(.nikonApplicationMode) else { return }
        do throws(PTPError) { try camera.call(.nikonApplicationMode, 1) } catch {
            guard error.refusal != nil else { throw error }
            throw .denied(
                "it is not paired with this computer; run its connection wizard for a computer or smart device")
        }
        camera[NikonMemory.self].isInApplicationMode = true
    }

    public func news(_ camera: isolated PTPCamera, _ events: [PTPEvent]) throws(PTPError) -> [CameraNews] {
        // What comes on the channel comes in the queue as well, on most bodies: each handle counts once.
        var news = StandardNews.read(events)
        let operation: OperationCode = camera.info.offers(.nikonEventsEx) ? .nikonEventsEx : .nikonEvents
        guard camera.info.offers(operation) else { return news }
        let data = try camera.read(operation)
        let queue =
            try operation == .nikonEventsEx ? NikonEvents.extended(data.span.bytes) : NikonEvents.plain(data.span.bytes)
        news += StandardNews.read(queue)
        return news.filter { item in
            switch item {
            case .added(let handle): return camera[NikonMemory.self].told.insert(handle).inserted
            case .removed(let handle):
                // The handle follows from the file's number: the next frame may get it again.
                camera[NikonMemory.self].told.remove(handle)
                return true
            default: return true
            }
        }
    }

    public func fetch(
        _ object: CameraObject, _ range: Range<UInt64>, _ camera: isolated PTPCamera, into sink: any ByteSink
    ) throws(PTPError) {
        guard camera.info.offers(.nikonPartialEx) else {
            return try StandardFetch.fetch(object, range, camera, into: sink)
        }
        try StandardFetch.chunks(object, range, camera, Self.part, into: sink)
    }

    public func givesParts(_ object: CameraObject, _ camera: isolated PTPCamera) -> Bool {
        camera.info.offers(.nikonPartialEx) || StandardFetch.givesParts(object, camera)
    }

    /// Works where standard reads are refused because the owner has marked files for transfer, and beyond 4 GiB.
    private static let part: StandardFetch.Part = { handle, offset, most in
        Operation(
            .nikonPartialEx,
            [handle.rawValue, UInt32(truncatingIfNeeded: offset), UInt32(truncatingIfNeeded: offset >> 32), most, 0])
    }

    public func keepAlive(_ camera: isolated PTPCamera) throws(PTPError) {
        guard camera.info.offers(.nikonReady) else { return }
        do throws(PTPError) { try camera.call(.nikonReady) } catch { if error.refusal == nil { throw error } }
    }

    public func release(_ camera: isolated PTPCamera) {
        if camera[NikonMemory.self].isInApplicationMode { _ = try? camera.call(.nikonApplicationMode, 0) }
    }
}

struct NikonMemory: HandlerMemory {
    var isInApplicationMode = false
    var told: Set<ObjectHandle> = []
}
