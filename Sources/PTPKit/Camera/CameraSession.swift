import Dispatch
public import FilmgateCore
import Synchronization

/// One camera, taken in.
///
/// Comes back by itself when the connection breaks, and goes on where it was.
public final class CameraSession: SourceSession {
    public let place: SourcePlace
    public let volume: String
    public var parallelFetches: Int { 1 }
    private struct State {
        var camera: PTPCamera
        var quirks: Quirks
        /// By path in the volume, for as long as the connection lasts.
        var objects: [String: CameraObject] = [:]
        /// What the engine has been told about, across connections.
        var told: [String: (size: UInt64, time: Int64)] = [:]
        var isClosed = false
        var watch: Task<Void, Never>?
        var lastWord = ContinuousClock.now
    }
    let handler: any ManufacturerHandler
    let maker: EntryMaker
    private let options: CameraOptions
    private let visit: CameraVisit
    private let door: any CameraDoor
    private let state: Mutex<State>

    private init(
        _ guest: CameraPorch.Guest, _ quirks: Quirks, _ door: any CameraDoor, _ place: SourcePlace, _ handler: any ManufacturerHandler,
        _ options: CameraOptions, _ visit: CameraVisit
    ) {
        (self.place, self.handler, self.options, self.visit, self.door) = (place, handler, options, visit, door)
        volume = CameraNaming.volume(guest.info, address: door.address)
        maker = EntryMaker(place: place, volume: volume, options: options)
        state = Mutex(State(camera: guest.camera, quirks: quirks))
    }

    /// Takes the camera in and prepares it.
    ///
    /// `deviceBusy`, `accessDenied`, `deviceGone` as they apply; `rejected` when it is another make's.
    static func open(
        _ door: any CameraDoor, _ place: SourcePlace, _ handler: any ManufacturerHandler, _ options: CameraOptions, _ visit: CameraVisit
    ) async throws(IngestError) -> CameraSession {
        let guest: CameraPorch.Guest
        do throws(PTPError) { guest = try await visit.porch.take(door, for: place.source) } catch {
            throw IngestError(error, camera: place.label)
        }
        guard let match = handler.match(guest.info, usb: door.usb) else {
            await guest.camera.close()
            visit.porch.left(door.address)
            throw IngestError(.rejected, "\(CameraNaming.label(guest.info)) is no camera for `\(place.source)`.")
        }
        let quirks = options.applied(to: match.quirks ?? handler.quirks)
        let session = CameraSession(guest, quirks, door, place, handler, options, visit)
        do throws(PTPError) { try await session.prepare(guest.camera) } catch {
            await session.close()
            throw IngestError(error, camera: place.label)
        }
        return session
    }

    private func prepare(_ camera: PTPCamera) async throws(PTPError) {
        let (handler, quirks) = (handler, state.withLock(\.quirks))
        await camera.apply(quirks)
        try await camera.run { camera throws(PTPError) in try handler.prepare(camera) }
    }

    var camera: PTPCamera { state.withLock(\.camera) }
    var quirks: Quirks { state.withLock(\.quirks) }
    var isClosed: Bool { state.withLock(\.isClosed) }
    func spoke() { state.withLock { $0.lastWord = .now } }
    var silence: Duration { state.withLock { .now - $0.lastWord } }

    public func entries() async throws(IngestError) -> [SourceEntry] {
        let arranged = maker.arrange(try await asIngest { () async throws(PTPError) in try await self.list() })
        remember(arranged)
        return arranged.map(\.entry)
    }

    /// Lists the camera; comes back once where the connection is lost meanwhile.
    func list() async throws(PTPError) -> [CameraObject] {
        let handler = handler
        return try await persistently(tries: 2) { camera throws(PTPError) in try handler.list(camera) }
    }

    func remember(_ arranged: [(object: CameraObject, entry: SourceEntry)]) {
        state.withLock { state in
            for (object, entry) in arranged {
                state.objects[entry.origin.volumePath] = object
                state.told[entry.origin.volumePath] = (entry.origin.size, entry.origin.modified)
            }
        }
    }

    /// An event and a listing may date the same file a second or two apart.
    func known(_ entry: SourceEntry) -> Bool {
        guard let old = state.withLock({ $0.told[entry.origin.volumePath] }) else { return false }
        return old.size == entry.origin.size && abs(old.time - entry.origin.modified) <= 2_000_000_000
    }

    public func fetch(_ origin: Origin, from offset: UInt64, into sink: any ByteSink) async throws(IngestError) {
        let counter = CountingSink(sink, from: offset)
        try await asIngest { () async throws(PTPError) in try await self.fetch(origin, counter) }
    }

    private func fetch(_ origin: Origin, _ counter: CountingSink) async throws(PTPError) {
        let handler = handler
        // Between two pieces the camera is free for its news.
        let piece: UInt64 = 16 << 20
        while counter.position < origin.size {
            let before = counter.position
            try await persistently(tries: 4) { camera throws(PTPError) in
                let object = try self.find(origin, camera)
                try handler.fetch(object, counter.position..<min(origin.size, before + piece), camera, into: counter)
            }
            guard counter.position > before else { throw .length(expected: origin.size, got: before) }
        }
        guard counter.position == origin.size else { throw .length(expected: origin.size, got: counter.position) }
    }

    /// The object as the camera knows it now.
    ///
    /// After coming back, handles may be others: the same path, size and time is the same file.
    private func find(_ origin: Origin, _ camera: isolated PTPCamera) throws(PTPError) -> CameraObject {
        if let object = state.withLock({ $0.objects[origin.volumePath] }), maker.origin(object).id == origin.id { return object }
        let arranged = maker.arrange(try handler.list(camera))
        state.withLock { state in for (object, entry) in arranged { state.objects[entry.origin.volumePath] = object } }
        guard let object = state.withLock({ $0.objects[origin.volumePath] }), maker.origin(object).id == origin.id else {
            throw .refused(.invalidObjectHandle, during: .getObject)
        }
        return object
    }

    public func localPath(_ origin: Origin) -> String? { nil }

    /// Watches the camera.
    ///
    /// Ends with the session.
    public func arrivals() async throws(IngestError) -> AsyncStream<SourceNews>? {
        let (stream, continuation) = AsyncStream<SourceNews>.makeStream()
        let watch = CameraWatch(self, continuation)
        let task = Task { await watch.run() }
        let late = state.withLock { state in
            state.watch = task
            return state.isClosed
        }
        if late { task.cancel() }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Drains, undoes what was prepared and closes, within four seconds whatever the camera does.
    public func close() async {
        let (camera, watch, was) = state.withLock { state in
            defer { state.isClosed = true }
            return (state.camera, state.watch, state.isClosed)
        }
        guard !was else { return }
        watch?.cancel()
        // On a queue's clock: the limit holds also when every task is held up.
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(3)) { [stop = camera.stop] in stop() }
        let handler = handler
        await camera.leave(handler)
        visit.porch.left(door.address)
    }
}

extension CameraSession {
    /// Runs `body`, and again after coming back when the connection broke under it.
    func persistently<R: Sendable>(
        tries: Int, _ body: @Sendable (isolated PTPCamera) throws(PTPError) -> R
    ) async throws(PTPError) -> R {
        var pause = Duration.milliseconds(300)
        var left = tries
        while true {
            let camera = camera
            do throws(PTPError) {
                defer { spoke() }
                return try await camera.run(body)
            } catch {
                left -= 1
                let isBroken = await camera.failure != nil || error.losesSession
                guard left > 0, isBroken, !isClosed, !Task.isCancelled else { throw error }
                try? await Task.sleep(for: pause)
                pause = min(pause * 3, .seconds(10))
                do throws(PTPError) { try await comeBack() } catch {
                    if left <= 1 { throw error }
                }
            }
        }
    }

    /// Connects again.
    ///
    /// The old connection is given up; handles from it are forgotten.
    func comeBack() async throws(PTPError) {
        let old = camera
        await old.close()
        guard !isClosed else { throw .gone("the session was closed") }
        let guest = try await visit.porch.take(door, for: place.source)
        guard CameraNaming.volume(guest.info, address: door.address) == volume else {
            await guest.camera.close()
            throw .gone("another camera is there now")
        }
        let isLate = state.withLock { state in
            state.camera = guest.camera
            state.objects = [:]
            return state.isClosed
        }
        if isLate { await guest.camera.close() }
        try await prepare(guest.camera)
    }

    private func asIngest<R>(_ body: () async throws(PTPError) -> R) async throws(IngestError) -> R {
        do throws(PTPError) { return try await body() } catch { throw IngestError(error, camera: place.label) }
    }
}

extension PTPCamera {
    /// The handler's farewell, then the session's.
    func leave(_ handler: any ManufacturerHandler) {
        if failure == nil {
            hurry()
            handler.release(self)
        }
        close()
    }
}
