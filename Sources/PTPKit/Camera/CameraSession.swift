public import FilmgateCore
import Synchronization

/// One camera, taken in.
///
/// Comes back by itself when the connection breaks, and goes on where it was.
public final class CameraSession: WatchingSession, PartialListingSession, ResultHandlingSession, AnsweringSession,
    ConditionReportingSession
{
    public let place: SourcePlace
    public let volume: String
    /// The body is told from others of its kind where it has a serial number or, on the network, a GUID.
    ///
    /// Files come one after the other; while one is made durable and looked at, the next one is on its way: two are
    /// fetched at once.
    public let traits: SessionTraits
    struct State {
        /// The last connection in which its files were listed to the end.
        var listed: Int?
        /// What the last listing could not show.
        var unlisted: IngestError?
        /// The connection over which a file's beginning was compared last, by its path; nil where it was more than one.
        var compared: [String: PTPCamera?] = [:]
        /// Whether the camera takes questions for what lies behind a file's end.
        var asksBehindEnds = true
        /// How often the connection broke at that question.
        var brokenEnds = 0
        var watch: Task<Void, Never>?
    }
    let connection: ReconnectingCamera
    let objects: KnownObjects
    let maker: EntryMaker
    let state = Mutex(State())
    private let options: CameraOptions
    private let thumbnails: ThumbnailFolder?
    /// Held by the file that is on its way.
    private let turn = ByteBudget(limit: 1)
    let previews: ObjectPreviews

    private init(
        _ opened: CameraConnections.OpenedCamera, _ quirks: Quirks, _ connector: any CameraConnector,
        _ place: SourcePlace, _ handler: any ManufacturerHandler, _ options: CameraOptions,
        _ environment: CameraEnvironment
    ) throws(IngestError) {
        thumbnails =
            if let folder = options.thumbnails, !environment.keepsNothing { try ThumbnailFolder(folder) } else { nil }
        self.place = place
        self.options = options
        let volume = CameraNaming.volume(opened.info, guid: opened.camera.guid, address: connector.address)
        self.volume = volume
        traits = SessionTraits(
            identifiesDevice: CameraNaming.isNamed(opened.info, guid: opened.camera.guid), parallelFetches: 2)
        maker = EntryMaker(place: place, volume: volume, options: options)
        let objects = KnownObjects(maker)
        self.objects = objects
        connection = ReconnectingCamera(
            opened, connector, place: place, volume: volume, handler: handler, quirks: quirks, environment: environment,
            whenNew: { objects.beginConnection() })
        previews = ObjectPreviews(connection, objects, turn)
    }

    /// Takes the camera in and prepares it.
    ///
    /// `deviceBusy`, `accessDenied`, `deviceGone` as they apply; `rejected` when it is another make's.
    static func open(
        _ connector: any CameraConnector, _ place: SourcePlace, _ handler: any ManufacturerHandler,
        _ options: CameraOptions, _ environment: CameraEnvironment
    ) async throws(IngestError) -> CameraSession {
        let opened: CameraConnections.OpenedCamera
        do throws(PTPError) { opened = try await environment.connections.take(connector, for: place.source) } catch {
            throw IngestError(error, camera: place.label)
        }
        guard let match = handler.match(opened.info, usb: connector.usb) else {
            await opened.camera.close()
            environment.connections.left(connector.address)
            throw Self.stranger(opened.info, place, environment.order)
        }
        let quirks = options.applied(to: match.quirks ?? handler.quirks)
        let session: CameraSession
        do throws(IngestError) {
            session = try CameraSession(opened, quirks, connector, place, handler, options, environment)
        } catch {
            await opened.camera.close()
            environment.connections.left(connector.address)
            throw error
        }
        do throws(PTPError) { try await session.connection.prepare(opened.camera) } catch {
            await session.close()
            throw IngestError(error, camera: place.label)
        }
        return session
    }

    private static func stranger(_ info: DeviceInfo, _ place: SourcePlace, _ order: CameraOrder?) -> IngestError {
        IngestError(
            .rejected, "At \(place.address) is \(CameraNaming.label(info)), and `\(place.source)` does not take it.",
            advice: order?.expert(on: info).map { "Use `\($0)` for it." } ?? "Use the module of its make, or `gphoto2`."
        )
    }

    /// What lies on its cards.
    ///
    /// Frames held in the body's memory are no part of it: they come by `arrivals`, because one that is not read holds
    /// up the next.
    public func entries() async throws(IngestError) -> [SourceEntry] {
        var objects = try await asIngest { () async throws(PTPError) in try await self.list() }
        objects.removeAll(where: \.isHeld)
        self.objects.remember(objects)
        return maker.arrange(objects)
    }

    /// Lists the camera; comes back once where the connection is lost meanwhile.
    ///
    /// What is not wanted is left out, except some of those that may still be written.
    func list(
        _ wants: @escaping @Sendable (CameraObject) -> Bool = { _ in true }
    ) async throws(PTPError) -> [CameraObject] {
        let handler = connection.handler
        let (objects, id, gaps) = try await connection.persistently(tries: 2) { camera throws(PTPError) in
            camera[ListingGaps.self] = ListingGaps()
            camera[StoreLabels.self] = StoreLabels()
            var listedObjects = ListedObjects { wants(camera.marked($0)) }
            try handler.list(camera, into: &listedObjects)
            let objects = try camera.marked(SizeSettling.confirmed(listedObjects.objects, camera))
            try StoreLabels.confirm(camera)
            return (objects, ObjectIdentifier(camera), camera[ListingGaps.self])
        }
        let number = connection.number(of: id)
        state.withLock { state in
            state.unlisted = gaps.failure(place.label, slot: options.slot)
            if let number { state.listed = number }
        }
        return objects
    }

    /// What the last listing could not show; nil when it was whole.
    public func unlisted() async -> IngestError? { state.withLock(\.unlisted) }

    /// True when files may have appeared that no event told of.
    var owesListing: Bool {
        let number = connection.number
        return state.withLock { $0.listed != number }
    }
    func oweListing() { state.withLock { $0.listed = nil } }

    /// Goes on where it was when the connection breaks and comes back, after proof that the camera still means the same
    /// bytes (``ResumeProof``), or, where files can only be read whole, a comparison of everything that came.
    ///
    /// `corruptData` when they differ, with the cause ``OtherBytes``, and when the camera holds more of the file than
    /// it said.
    public func fetch(_ origin: Origin, from offset: UInt64, into sink: any ByteSink) async throws(IngestError) {
        try await turn.take(1)
        connection.note(file: origin.name)
        defer {
            connection.note(file: nil)
            turn.give(1)
        }
        if offset == 0, let thumbnails { await connection.waiting { await keepThumbnail(of: origin, in: thumbnails) } }
        // Who compared nothing through this session vouches for what lies before.
        let compared: PTPCamera? =
            state.withLock { $0.compared.removeValue(forKey: origin.volumePath) } ?? connection.camera
        let counter = CountingSink(sink, of: origin.name, from: offset, provedOver: compared)
        try await asIngest { () async throws(PTPError) in try await self.fetch(origin, counter) }
    }

    /// What fails here fails again, and is told, when the file itself is read.
    private func keepThumbnail(of origin: Origin, in folder: ThumbnailFolder) async {
        let camera = connection.camera
        let picture = await Result { () async throws(PTPError) in
            try await camera.run { camera throws(PTPError) -> [UInt8] in
                let object = try self.find(origin, camera)
                return object.isHeld || !camera.info.offers(.getThumb) ? [] : try camera.thumbnail(object.handle)
            }
        }
        if case .success(let bytes) = picture { folder.keep(bytes, of: origin.path, from: place.label) }
    }

    private func fetch(_ origin: Origin, _ counter: CountingSink) async throws(PTPError) {
        let handler = connection.handler
        // Between two pieces the camera is free for its news.
        let piece: UInt64 = 16 << 20
        while counter.position < origin.size {
            let before = counter.position
            try await connection.persistently(tries: 4, progress: { counter.position }) { camera throws(PTPError) in
                let object = try self.find(origin, camera)
                let way = try self.resumption(of: object, counter, camera)
                try handler.fetch(object, way.offset..<min(origin.size, before + piece), camera, into: way.sink)
            }
            guard counter.position > before else { throw .length(expected: origin.size, got: before) }
        }
        guard counter.position == origin.size else { throw .length(expected: origin.size, got: counter.position) }
        try await checkEnd(of: origin, counter)
    }

    /// The object as the camera knows it now.
    ///
    /// After coming back, handles may be others: the same path, size and time is the same file.
    func find(_ origin: Origin, _ camera: isolated PTPCamera) throws(PTPError) -> CameraObject {
        if let object = objects.object(origin) { return object }
        let handler = connection.handler
        if let old = objects.earlier(origin), let object = try handler.again(old, camera).map({ camera.marked($0) }) {
            try StoreLabels.confirm(camera)
            if maker.origin(object).id == origin.id {
                objects.place(object)
                return object
            }
        }
        var listedObjects = ListedObjects { [maker, objects] in
            maker.volumePath($0) == origin.volumePath || objects.isMissed($0)
        }
        try handler.list(camera, into: &listedObjects)
        let found = camera.marked(listedObjects.objects)
        try StoreLabels.confirm(camera)
        for object in found {
            if maker.volumePath(object) == origin.volumePath || objects.isMissed(object) { objects.place(object) }
        }
        guard let object = objects.object(origin) else { throw .missing(origin.name) }
        return object
    }

    /// A frame that the body holds in its memory and that is not wanted, or is at its targets, makes room for the next
    /// one.
    ///
    /// From then on a frame that looks the same is another one, or the same that could not be read: it is told about.
    public func settled(_ settled: AssetResult) {
        let origin = settled.asset.origin
        guard settled.ending != .pending else { return }
        // Together: another connection would know another frame by this handle, and a held frame that nobody declines
        // stays.
        guard let (object, camera) = connection.withCamera({ objects.settle(origin) }) else { return }
        let handler = connection.handler, isFailed = settled.ending == .setAside
        Task { [objects] in
            _ = await Result { () async throws(PTPError) in
                if !isFailed { try await camera.run { camera throws(PTPError) in try handler.decline(object, camera) } }
            }
            objects.forget(origin)
        }
    }

    public func localPath(_ origin: Origin) -> String? { nil }

    /// Watches the camera, in its make's way, until the session is closed or the stream is let go.
    ///
    /// What the stream delivers:
    /// - Every file that `entries` has not listed, once for each path, size and time, in the order in which the camera
    ///   tells of them; RAW and JPEG of one shot as two entries with the same shot key, one after the other, though not
    ///   always in the same look.
    /// - A file comes when it is whole: makes that announce files early are asked until the size has stopped changing.
    /// - A shot between the end of `entries` and this call is not lost: its event waits, here or in the camera.
    /// - `fate` is as in `entries`: what the options leave out arrives as `filtered`.
    /// - `lost` when the camera cannot be spoken to; from then on it is tried again after 0.5 s and ever more rarely up
    ///   to every 30 s, on USB every 2 s and also at another place of the bus. `back` when that worked, and behind it
    ///   everything that was shot meanwhile, found by a listing. When a `fetch` was the first to notice and came back
    ///   by itself, there is neither, only what was shot meanwhile.
    /// - After events were lost, and when a card is put in, the camera is listed, and all that was not told before
    ///   arrives.
    ///
    /// Without `entries` before it, everything on the camera arrives. `fetch` may be called at any time; between two
    /// pieces of 16 MiB the camera is looked at. A `fetch` that fails with `deviceGone` may be called again, from the
    /// offset that it reached, after `back`. The stream keeps all that was not taken yet. A second call ends the first
    /// stream.
    public func arrivals() async throws(IngestError) -> AsyncStream<SourceNews> {
        let (stream, continuation) = AsyncStream<SourceNews>.makeStream()
        let watch = CameraWatch(self, continuation)
        let task = Task { await watch.run() }
        let before = state.withLock { state in
            defer { state.watch = task }
            return state.watch
        }
        before?.cancel()
        // In this order: `close` ends the connection before it looks for a watch.
        if connection.isClosed { task.cancel() }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Drains, undoes what was prepared and closes, within four seconds whatever the camera does.
    public func close() async {
        guard let ended = connection.end() else { return }
        state.withLock(\.watch)?.cancel()
        await connection.leave(ended)
    }

    /// What the standard lets everybody ask; what the camera refuses, or is away, is left out.
    public func condition() async -> DeviceCondition { await connection.camera.condition() }

    public func expectAnswers(within limit: Duration) { connection.expectAnswers(within: limit) }
    public var unanswered: DeviceSilence? { connection.unanswered }

    func asIngest<R>(_ body: () async throws(PTPError) -> R) async throws(IngestError) -> R {
        do throws(PTPError) { return try await body() } catch { throw IngestError(error, camera: place.label) }
    }
}
