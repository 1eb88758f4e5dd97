public import FilmgateCore

/// A make, as a list of its differences from the standard.
///
/// Whatever is not written is standard PTP.
///
/// All steps are synchronous and run on the camera's thread. What must be remembered during a session goes into
/// `camera[Memory.self]`.
public protocol ManufacturerHandler: Sendable {
    /// Ordered, specific before general; the first line that fits decides. A handler without lines takes every camera.
    var matches: [CameraMatch] { get }
    var quirks: Quirks { get }
    /// After the session is open and DeviceInfo is read: event modes and the like. Must leave the camera usable by its
    /// owner.
    func prepare(_ camera: isolated PTPCamera) throws(PTPError)
    /// Puts every file on the camera into the basket, each once, in the camera's order.
    func list(_ camera: isolated PTPCamera, into listedObjects: inout ListedObjects) throws(PTPError)
    /// The object as it is now, when its handle is still good after the connection was lost and found; nil when only a
    /// listing can tell.
    func again(_ object: CameraObject, _ camera: isolated PTPCamera) throws(PTPError) -> CameraObject?
    /// True when `fetch` asks the camera for no more than its range.
    func givesParts(_ object: CameraObject, _ camera: isolated PTPCamera) -> Bool
    /// Sends the object's bytes from `range.lowerBound` on into `sink`.
    ///
    /// Those of the range, or all to the end where parts cannot be asked for. Large objects are asked for range by
    /// range, so that news is not held up. `length` when there are not as many as promised.
    func fetch(_ object: CameraObject, _ range: Range<UInt64>, _ camera: isolated PTPCamera, into sink: any ByteSink)
        throws(PTPError)
    /// True when the camera gives a byte behind the size that it told; false where it cannot be asked.
    func holdsMore(_ object: CameraObject, _ camera: isolated PTPCamera) throws(PTPError) -> Bool
    /// Nobody will read this object, which is held in the body's memory: left out by a rule, or known. Makes room for
    /// the next one.
    func decline(_ object: CameraObject, _ camera: isolated PTPCamera) throws(PTPError)
    /// What is new since the last call. `events` came on the event channel; makes that must be asked ask here.
    func news(_ camera: isolated PTPCamera, _ events: [PTPEvent]) throws(PTPError) -> [CameraNews]
    /// Called when the camera has not been spoken to for the quirks' `keepAlive`.
    ///
    /// By default asks for DeviceInfo, which every body answers at any time.
    func keepAlive(_ camera: isolated PTPCamera) throws(PTPError)
    /// Undoes `prepare` before the session is closed. What fails here is of no consequence.
    func release(_ camera: isolated PTPCamera)
}

/// What a camera tells.
public enum CameraNews: Sendable, Hashable {
    /// A new object of which only the handle is known.
    case added(ObjectHandle)
    /// A new object, fully described.
    case object(CameraObject)
    case removed(ObjectHandle)
    /// Too much has happened: list again.
    case changed
    /// The camera says goodbye.
    case leaving
}

extension ManufacturerHandler {
    public var matches: [CameraMatch] { [] }
    public var quirks: Quirks { .standard }
    public func prepare(_ camera: isolated PTPCamera) throws(PTPError) {}
    public func list(_ camera: isolated PTPCamera, into listedObjects: inout ListedObjects) throws(PTPError) {
        try StandardListing.list(camera, into: &listedObjects)
    }
    /// All of them at once.
    public func list(_ camera: isolated PTPCamera) throws(PTPError) -> [CameraObject] {
        var listedObjects = ListedObjects()
        try list(camera, into: &listedObjects)
        return listedObjects.objects
    }
    public func again(_ object: CameraObject, _ camera: isolated PTPCamera) throws(PTPError) -> CameraObject? {
        do throws(PTPError) { return try StandardListing.object(object.handle, camera) } catch {
            if error.refusal != nil, camera.failure == nil { return nil }
            throw error
        }
    }
    public func givesParts(_ object: CameraObject, _ camera: isolated PTPCamera) -> Bool {
        StandardFetch.givesParts(object, camera)
    }
    public func fetch(
        _ object: CameraObject, _ range: Range<UInt64>, _ camera: isolated PTPCamera, into sink: any ByteSink
    ) throws(PTPError) {
        try StandardFetch.fetch(object, range, camera, into: sink)
    }
    public func holdsMore(_ object: CameraObject, _ camera: isolated PTPCamera) throws(PTPError) -> Bool {
        try StandardFetch.holdsMore(object, camera)
    }
    public func decline(_ object: CameraObject, _ camera: isolated PTPCamera) throws(PTPError) {}
    public func news(_ camera: isolated PTPCamera, _ events: [PTPEvent]) throws(PTPError) -> [CameraNews] {
        StandardNews.read(events)
    }
    public func keepAlive(_ camera: isolated PTPCamera) throws(PTPError) { _ = try camera.read(.getDeviceInfo) }
    public func release(_ camera: isolated PTPCamera) {}

    /// The line of the table that fits; nil when none does.
    ///
    /// A handler without a table takes everything.
    public func match(_ info: DeviceInfo, usb: USBIdentity?) -> CameraMatch? {
        matches.isEmpty ? CameraMatch("follows the standard") : matches.first { $0.fits(info, usb: usb) }
    }
}

/// Any camera that follows ISO 15740 or MTP.
public struct StandardHandler: ManufacturerHandler {
    public var quirks: Quirks
    public init(quirks: Quirks = .standard) { self.quirks = quirks }
}

/// What the standard's events mean.
public enum StandardNews {
    public static func read(_ events: [PTPEvent]) -> [CameraNews] { events.compactMap(read) }

    public static func read(_ event: PTPEvent) -> CameraNews? {
        switch event.code {
        // A file whose facts changed may have been told about before it was whole.
        case .objectAdded, .requestObjectTransfer, .objectInfoChanged:
            event.parameter(0).flatMap { known(ObjectHandle($0)).map(CameraNews.added) }
        case .objectRemoved: event.parameter(0).flatMap { known(ObjectHandle($0)).map(CameraNews.removed) }
        case .storeAdded, .storeRemoved, .deviceInfoChanged: .changed
        case .deviceReset: .leaving
        default: nil
        }
    }

    private static func known(_ handle: ObjectHandle) -> ObjectHandle? { handle.isReal ? handle : nil }
}
