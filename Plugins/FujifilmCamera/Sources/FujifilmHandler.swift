public import FilmgateCore
public import PTPKit

extension OperationCode {
    static let fujiCameraInfo: Self = 0x902B
}

/// Properties of the dialect.
enum FujiProperty {
    static let state: UInt16 = 0xDF00, client: UInt16 = 0xDF01, version: UInt16 = 0xDF24
    static let events: UInt16 = 0xD212, count: UInt16 = 0xD222, fullSizes: UInt16 = 0xD227
}

/// What Fujifilm bodies do differently.
///
/// Over Wi-Fi nothing but the number of objects is told, and a person lets us in on the camera. Over USB new objects
/// are found by comparing lists of handles, and parts of objects cannot be relied on.
public struct FujifilmHandler: ManufacturerHandler {
    /// How long a person may take to confirm on the camera.
    private let confirmation: Duration

    public let quirks = Quirks.standard.with { quirks in
        quirks.partial = .none
        quirks.news = .polling(from: .milliseconds(500), upTo: .seconds(1))
    }

    public var matches: [CameraMatch] {
        let dialect = quirks.with { quirks in
            quirks.chunk = 1 << 20
            quirks.news = .polling(from: .milliseconds(50), upTo: .milliseconds(200))
            quirks.settle = .zero
            // Newer bodies hang where the question for a file's facts was not the one before.
            quirks.previews = false
        }
        return [
            CameraMatch(
                "the app's dialect over Wi-Fi", manufacturer: "fujifilm", operations: [.fujiCameraInfo], quirks: dialect
            ),
            CameraMatch("made by Fujifilm", vendor: 0x04CB, manufacturer: "fuji"),
            CameraMatch("Fujifilm's USB number", vendor: 0x04CB, onlyUSB: true),
        ]
    }

    public init(confirmation: Duration = .seconds(90)) { self.confirmation = confirmation }

    static func speaksDialect(_ camera: isolated PTPCamera) -> Bool { camera.info.offers(.fujiCameraInfo) }

    public func prepare(_ camera: isolated PTPCamera) throws(PTPError) {
        guard Self.speaksDialect(camera) else {
            camera[FujiKnownHandles.self].known = try Self.handles(camera)
            return
        }
        try FujiDialect.enter(camera, waiting: confirmation)
    }

    public func list(_ camera: isolated PTPCamera, into listedObjects: inout ListedObjects) throws(PTPError) {
        if Self.speaksDialect(camera) {
            try FujiDialect.list(camera, into: &listedObjects)
        } else {
            try StandardListing.list(camera, into: &listedObjects)
        }
    }

    public func news(_ camera: isolated PTPCamera, _ events: [PTPEvent]) throws(PTPError) -> [CameraNews] {
        guard !Self.speaksDialect(camera) else { return try FujiDialect.news(camera) }
        let (before, now) = (camera[FujiKnownHandles.self].known, try Self.handles(camera))
        camera[FujiKnownHandles.self].known = now
        let gone = before.subtracting(now).sorted().map(CameraNews.removed)
        return StandardNews.read(events) + gone + now.subtracting(before).sorted().map(CameraNews.added)
    }

    /// What live view shows under this handle is no file.
    private static let liveView = ObjectHandle(0x8000_0001)

    private static func handles(_ camera: isolated PTPCamera) throws(PTPError) -> Set<ObjectHandle> {
        Set(try camera.handles(in: .all, below: ObjectHandle(0))).subtracting([liveView])
    }

    public func again(_ object: CameraObject, _ camera: isolated PTPCamera) throws(PTPError) -> CameraObject? {
        Self.speaksDialect(camera) ? nil : try StandardListing.object(object.handle, camera)
    }

    /// In the dialect everything is asked for in parts.
    public func givesParts(_ object: CameraObject, _ camera: isolated PTPCamera) -> Bool { Self.speaksDialect(camera) }

    public func fetch(
        _ object: CameraObject, _ range: Range<UInt64>, _ camera: isolated PTPCamera, into sink: any ByteSink
    ) throws(PTPError) {
        guard Self.speaksDialect(camera) else {
            return try StandardFetch.whole(object, from: range.lowerBound, camera, into: sink)
        }
        try FujiDialect.fetch(object, range, camera, into: sink)
    }

    public func holdsMore(_ object: CameraObject, _ camera: isolated PTPCamera) throws(PTPError) -> Bool {
        Self.speaksDialect(camera) ? try FujiDialect.holdsMore(object, camera) : false
    }

    public func keepAlive(_ camera: isolated PTPCamera) throws(PTPError) {
        // Both ways of asking for news keep the body awake.
    }

    public func release(_ camera: isolated PTPCamera) {
        if Self.speaksDialect(camera) { FujiDialect.leave(camera) }
    }
}

/// Handles that were there at the last look.
struct FujiKnownHandles: HandlerMemory { var known: Set<ObjectHandle> = [] }
