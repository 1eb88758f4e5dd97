import FilmgateCore
import Synchronization

/// Cameras that have been opened to see what they are, until a module claims them.
///
/// A camera on the network takes one connection at a time and often refuses the next for a while: so the session that
/// found out its make is the one that is used. Shared by all camera modules of a program.
public final class CameraConnections: Sendable {
    /// A camera as it was found.
    public struct OpenedCamera: Sendable {
        public var camera: PTPCamera, info: DeviceInfo
    }
    /// A camera that a module has claimed.
    struct ClaimedCamera {
        var info: DeviceInfo, source: String
        /// Where it was when it was taken in; it may have been plugged in elsewhere since then.
        var home: String
    }
    private struct State {
        var waiting: [String: (opened: OpenedCamera, since: ContinuousClock.Instant)] = [:]
        var claimed: [String: ClaimedCamera] = [:]
        /// Cameras that are being opened: who asks meanwhile waits for the same one, which takes one connection.
        var opening: [String: Task<Result<OpenedCamera, PTPError>, Never>] = [:]
    }
    private let state = Mutex(State())
    private let pool = BlockingPool(width: 16)
    private let patience: Duration
    /// Who we are where nothing is kept.
    let passing = IdentityFile.make()

    private let observer: (@Sendable (String) -> any LinkObserver)?

    /// A camera that nobody claims within `patience` is closed.
    ///
    /// `observer` makes one for each connection, from its address, which hears all that is said on it.
    public init(patience: Duration = .seconds(20), observer: (@Sendable (String) -> any LinkObserver)? = nil) {
        (self.patience, self.observer) = (patience, observer)
    }

    /// Connects to a camera; what is said on the connection goes to the observer, where there is one.
    ///
    /// Blocks.
    public func connect(_ connector: any CameraConnector) throws(PTPError) -> sending any CameraLink {
        guard let observer = observer?(connector.address) else { return try connector.open() }
        do throws(PTPError) { return ObservedLink(try connector.open(), observer) } catch {
            observer.failed(error)
            throw error
        }
    }

    /// The camera that a connector reaches: claimed already, opened and waiting, or opened now.
    ///
    /// Opens a session with the camera.
    public func look(_ connector: any CameraConnector) async throws(PTPError) -> (info: DeviceInfo, takenBy: String?) {
        let known = state.withLock { state -> (DeviceInfo, String?)? in
            if let claimed = state.claimed[connector.address] { return (claimed.info, claimed.source) }
            return state.waiting[connector.address].map { ($0.opened.info, nil) }
        }
        if let known { return known }
        return (try await arrival(of: connector).get().info, nil)
    }

    /// Opens a camera and keeps it until it is claimed; once for all who look at the same time.
    private func arrival(of connector: any CameraConnector) async -> Result<OpenedCamera, PTPError> {
        let task = state.withLock { state in
            if let opening = state.opening[connector.address] { return opening }
            let task = Task { await Result { () async throws(PTPError) in try await self.connect(connector) } }
            state.opening[connector.address] = task
            return task
        }
        return await task.value
    }

    private func connect(_ connector: any CameraConnector) async throws(PTPError) -> OpenedCamera {
        do throws(PTPError) {
            let opened = try await open(connector)
            state.withLock { state in
                state.waiting[connector.address] = (opened, .now)
                state.opening[connector.address] = nil
            }
            CameraClock.after(patience) { [weak self] in self?.expire() }
            return opened
        } catch {
            state.withLock { $0.opening[connector.address] = nil }
            throw error
        }
    }

    /// The opened camera, for a module to keep until it says `left`.
    ///
    /// `home`: the address at which it was taken in first; nil = this one.
    public func take(_ connector: any CameraConnector, for source: String, home: String? = nil) async throws(PTPError)
        -> OpenedCamera
    {
        let home = home ?? connector.address
        if let opening = state.withLock({ $0.opening[connector.address] }) { _ = await opening.value }
        let waiting = state.withLock { $0.waiting.removeValue(forKey: connector.address)?.opened }
        if let waiting, await waiting.camera.failure == nil {
            enter(waiting, connector, source, home)
            return waiting
        }
        let opened = try await open(connector)
        enter(opened, connector, source, home)
        return opened
    }

    func isInside(_ address: String) -> Bool { state.withLock { $0.claimed[address] != nil } }

    /// The address that the camera is claimed under: taken in here, or taken in at a place where nothing is any more.
    ///
    /// Nil for one that nobody has.
    func home(of info: DeviceInfo, at address: String, among present: Set<String>) -> String? {
        let volume = CameraNaming.volume(info, guid: [], address: address)
        return state.withLock { state in
            if let claimed = state.claimed[address] { return claimed.home }
            return state.claimed.first { place, claimed in
                !present.contains(place) && CameraNaming.volume(claimed.info, guid: [], address: place) == volume
            }?.value.home
        }
    }

    public func left(_ address: String) { state.withLock { _ = $0.claimed.removeValue(forKey: address) } }

    /// How a camera that waits is to be treated, now that its make is known: some must not be closed like others.
    func apply(_ quirks: Quirks, to address: String) async {
        let opened = state.withLock { $0.waiting[address]?.opened }
        await opened?.camera.apply(quirks)
    }

    /// Lets one go who waits, because nobody wants it.
    public func release(_ address: String) async {
        let opened = state.withLock { $0.waiting.removeValue(forKey: address)?.opened }
        await opened?.camera.close()
    }

    /// Lets everybody go who still waits.
    public func clear() async {
        let guests = state.withLock { state in
            defer { state.waiting = [:] }
            return state.waiting.values.map(\.opened)
        }
        for opened in guests { await opened.camera.close() }
    }

    private func enter(_ opened: OpenedCamera, _ connector: any CameraConnector, _ source: String, _ home: String) {
        state.withLock { $0.claimed[connector.address] = ClaimedCamera(info: opened.info, source: source, home: home) }
    }

    private func expire() {
        let late = state.withLock { state in
            let late = state.waiting.filter { $0.value.since + patience <= .now }
            for address in late.keys { state.waiting[address] = nil }
            return late.values.map(\.opened.camera)
        }
        for camera in late { Task { await camera.close() } }
    }

    private func open(_ connector: any CameraConnector) async throws(PTPError) -> OpenedCamera {
        let result: Result<PTPCamera, PTPError>
        do throws(IngestError) {
            result = try await pool.run { () throws(IngestError) in
                Result { () throws(PTPError) in PTPCamera(try self.connect(connector)) }
            }
        } catch { throw .sink(error) }
        let camera = try result.get()
        do throws(PTPError) {
            try await camera.open()
            return OpenedCamera(camera: camera, info: await camera.info)
        } catch {
            await camera.close()
            throw error
        }
    }
}
