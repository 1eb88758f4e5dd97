import FilmgateCore
import Synchronization

/// The connection with one camera, which comes back by itself when it breaks, here or at another place of the bus.
///
/// Whoever waits for the camera does so through it: it is given up for all of them at once.
final class ReconnectingCamera: Sendable {
    struct State {
        var camera: PTPCamera
        var connector: any CameraConnector
        /// Counts the connections with this camera.
        var number = 0
        /// A way back that is being tried; whoever else misses the camera waits for the same one.
        var returning: Task<Result<Void, PTPError>, Never>?
        /// How many are waiting for the camera now.
        var waiting = 0
        /// Since when there is one.
        var since = ContinuousClock.now
        /// The file that is on its way.
        var file: String?
        /// How long silence is borne; nil: as long as the make's quirks say.
        var limit: Duration?
        /// Nobody waits for it any more, and it is not come back to.
        var isGivenUp = false
        var isClosed = false
        var lastWord = ContinuousClock.now
    }
    let handler: any ManufacturerHandler
    let quirks: Quirks
    let state: Mutex<State>
    private let place: SourcePlace
    private let volume: String
    private let environment: CameraEnvironment
    private let whenNew: @Sendable () -> Void

    /// `volume`: by which the camera is known again; `whenNew` is called while another connection takes the place of
    /// one that broke, and must not ask for the camera.
    init(
        _ opened: CameraConnections.OpenedCamera, _ connector: any CameraConnector, place: SourcePlace, volume: String,
        handler: any ManufacturerHandler, quirks: Quirks, environment: CameraEnvironment,
        whenNew: @escaping @Sendable () -> Void
    ) {
        self.place = place
        self.volume = volume
        self.handler = handler
        self.quirks = quirks
        self.environment = environment
        self.whenNew = whenNew
        state = Mutex(State(camera: opened.camera, connector: connector))
    }

    func prepare(_ camera: PTPCamera) async throws(PTPError) {
        let handler = handler
        await camera.apply(quirks)
        try await camera.run { camera throws(PTPError) in try handler.prepare(camera) }
    }

    var camera: PTPCamera { state.withLock(\.camera) }
    /// Counts the connections with this camera.
    var number: Int { state.withLock(\.number) }
    /// Which connection `camera` is; nil when it is none any more.
    func number(of camera: ObjectIdentifier) -> Int? {
        state.withLock { ObjectIdentifier($0.camera) == camera ? $0.number : nil }
    }
    var isOnBus: Bool { state.withLock { $0.connector.usb != nil } }
    var isClosed: Bool { state.withLock(\.isClosed) }
    func spoke() { state.withLock { $0.lastWord = .now } }
    var silence: Duration { state.withLock { .now - $0.lastWord } }

    /// What `body` finds, and the camera that it was found for: no other takes its place meanwhile.
    ///
    /// Nil where `body` finds nothing, and once it is closed.
    func withCamera<R: Sendable>(_ body: () -> R?) -> (found: R, camera: PTPCamera)? {
        state.withLock { state in
            guard let found = body(), !state.isClosed else { return nil }
            return (found, state.camera)
        }
    }

    /// From now on it is not come back to; what is to be left, or nil when it was ended before.
    func end() -> (camera: PTPCamera, address: String)? {
        state.withLock { state in
            defer { state.isClosed = true }
            return state.isClosed ? nil : (state.camera, state.connector.address)
        }
    }

    /// Undoes what was prepared and closes, within four seconds whatever the camera does.
    func leave(_ ended: (camera: PTPCamera, address: String)) async {
        CameraClock.after(.seconds(3)) { [stop = ended.camera.stop] in stop() }
        let handler = handler
        await ended.camera.leave(handler)
        environment.connections.left(ended.address)
    }

    /// Runs `body`, and again after coming back when the connection broke under it.
    ///
    /// A camera that is silent twice where it was silent before is not asked a third time: it is the question that it
    /// does not answer. `progress` says how far `body` has come.
    func persistently<R: Sendable>(
        tries: Int, progress: @Sendable () -> UInt64 = { 0 },
        _ body: @Sendable (isolated PTPCamera) throws(PTPError) -> R
    ) async throws(PTPError) -> R {
        try await waiting { () async throws(PTPError) in try await trying(tries, progress, body) }
    }

    private func trying<R: Sendable>(
        _ tries: Int, _ progress: @Sendable () -> UInt64, _ body: @Sendable (isolated PTPCamera) throws(PTPError) -> R
    ) async throws(PTPError) -> R {
        var pause = Duration.milliseconds(300)
        var left = tries, wasSilentAt: UInt64?
        while true {
            let camera = camera
            do throws(PTPError) {
                defer { spoke() }
                return try await camera.run(body)
            } catch {
                left -= 1
                if case .sink = error { throw error }
                if case .timedOut = error {
                    let position = progress()
                    if wasSilentAt == position { throw error }
                    wasSilentAt = position
                }
                let isBroken = await camera.failure != nil || error.losesSession
                guard left > 0, isBroken, !isClosed, !isGivenUp, !Task.isCancelled else { throw error }
                await rest(pause)
                pause = min(pause * 3, .seconds(10))
                if isGivenUp || isClosed { throw error }
                do throws(PTPError) { try await comeBack(from: camera) } catch {
                    if left <= 1 { throw error }
                }
            }
        }
    }

    /// Connects again in place of `old`, once for all who miss it.
    ///
    /// Nothing happens when somebody else has come back meanwhile.
    func comeBack(from old: PTPCamera) async throws(PTPError) {
        let task = state.withLock { state -> Task<Result<Void, PTPError>, Never>? in
            if let returning = state.returning { return returning }
            guard state.camera === old else { return nil }
            state.returning = Task {
                let result = await Result { () async throws(PTPError) in try await self.connect(inPlaceOf: old) }
                self.state.withLock { $0.returning = nil }
                return result
            }
            return state.returning
        }
        if let task { try await answer(of: task) }
    }

    /// The old connection is given up; handles from it are forgotten.
    private func connect(inPlaceOf old: PTPCamera) async throws(PTPError) {
        await old.close()
        var failure = PTPError.gone("the session was closed")
        for connector in connectors() where !isClosed && !isGivenUp {
            do throws(PTPError) { return try await enter(connector) } catch { failure = error }
        }
        throw failure
    }

    /// Where it was; on a bus also wherever a device with its numbers is now, because plugging in again gives it
    /// another address.
    private func connectors() -> [any CameraConnector] {
        let connector = state.withLock(\.connector)
        guard let usb = connector.usb else { return [connector] }
        let others = environment.buses.flatMap { (try? $0.connectors()) ?? [] }
        return [connector]
            + others.filter {
                $0.usb == usb && $0.address != connector.address && !environment.connections.isInside($0.address)
            }
    }

    private func enter(_ connector: any CameraConnector) async throws(PTPError) {
        let opened = try await environment.connections.take(connector, for: place.source, home: place.address)
        do throws(PTPError) {
            let now = CameraNaming.volume(opened.info, guid: opened.camera.guid, address: connector.address)
            guard now == volume else { throw .gone("another camera is there now") }
            try await prepare(opened.camera)
        } catch {
            await opened.camera.close()
            environment.connections.left(connector.address)
            throw error
        }
        let (isLate, before) = state.withLock { state in
            // In one step with the change: what is known by the old one's handles must not be asked of the new one.
            whenNew()
            let before = state.connector.address
            state.camera = opened.camera
            state.connector = connector
            state.number += 1
            return (state.isClosed || state.isGivenUp, before)
        }
        if before != connector.address { environment.connections.left(before) }
        guard isLate else { return }
        await opened.camera.leave(handler)
        environment.connections.left(connector.address)
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
