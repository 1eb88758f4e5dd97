import FilmgateCore
import Synchronization

/// Cameras that have been opened to see what they are, until a module takes them in.
///
/// A camera on the network takes one visitor at a time and does not like to be left and visited again at once: so the session that
/// found out its make is the one that is used. Shared by all camera modules of a program.
public final class CameraPorch: Sendable {
    /// A camera as it was found.
    public struct Guest: Sendable {
        public var camera: PTPCamera, info: DeviceInfo
    }
    /// A camera that a module has taken in.
    struct Inside {
        var info: DeviceInfo, source: String
        /// Where it was when it was taken in; it may have been plugged in elsewhere since then.
        var home: String
    }
    private struct State {
        var waiting: [String: (guest: Guest, since: ContinuousClock.Instant)] = [:]
        var inside: [String: Inside] = [:]
        /// Doors that are being opened: who asks meanwhile waits for the same camera, which takes one visitor.
        var opening: [String: Task<Result<Guest, PTPError>, Never>] = [:]
    }
    private let state = Mutex(State())
    private let pool = BlockingPool("filmgate.cameras.opening", width: 16)
    private let patience: Duration
    /// Who we are where nothing is kept.
    let passing = IdentityFile.make()

    private let observer: (@Sendable (String) -> any LinkObserver)?

    /// Who is not taken in within `patience` is let go.
    ///
    /// `observer` makes one for each connection, from its address, which hears all that is said on it.
    public init(patience: Duration = .seconds(20), observer: (@Sendable (String) -> any LinkObserver)? = nil) {
        (self.patience, self.observer) = (patience, observer)
    }

    /// Connects to the camera behind a door, observed where this porch has an observer; blocks.
    public func connect(_ door: any CameraDoor) throws(PTPError) -> sending any CameraLink {
        guard let observer = observer?(door.address) else { return try door.open() }
        do throws(PTPError) { return ObservedLink(try door.open(), observer) } catch {
            observer.failed(error)
            throw error
        }
    }

    /// What is behind a door: who is inside already, who waits, or who opens.
    ///
    /// Opens a session with the camera.
    public func look(_ door: any CameraDoor) async throws(PTPError) -> (info: DeviceInfo, takenBy: String?) {
        let known = state.withLock { state -> (DeviceInfo, String?)? in
            if let inside = state.inside[door.address] { return (inside.info, inside.source) }
            return state.waiting[door.address].map { ($0.guest.info, nil) }
        }
        if let known { return known }
        return (try await arrival(of: door).get().info, nil)
    }

    /// Opens a door and lets the camera wait; once for all who look at the same time.
    private func arrival(of door: any CameraDoor) async -> Result<Guest, PTPError> {
        let task = state.withLock { state in
            if let opening = state.opening[door.address] { return opening }
            let task = Task { await Result { () async throws(PTPError) in try await self.welcome(door) } }
            state.opening[door.address] = task
            return task
        }
        return await task.value
    }

    private func welcome(_ door: any CameraDoor) async throws(PTPError) -> Guest {
        do throws(PTPError) {
            let guest = try await open(door)
            state.withLock { state in
                state.waiting[door.address] = (guest, .now)
                state.opening[door.address] = nil
            }
            CameraClock.after(patience) { [weak self] in self?.expire() }
            return guest
        } catch {
            state.withLock { $0.opening[door.address] = nil }
            throw error
        }
    }

    /// The camera behind a door, for a module to keep until it says `left`.
    ///
    /// `home`: the address at which it was taken in first; nil = this one.
    public func take(_ door: any CameraDoor, for source: String, home: String? = nil) async throws(PTPError) -> Guest {
        let home = home ?? door.address
        if let opening = state.withLock({ $0.opening[door.address] }) { _ = await opening.value }
        let waiting = state.withLock { $0.waiting.removeValue(forKey: door.address)?.guest }
        if let waiting, await waiting.camera.failure == nil {
            enter(waiting, door, source, home)
            return waiting
        }
        let guest = try await open(door)
        enter(guest, door, source, home)
        return guest
    }

    func isInside(_ address: String) -> Bool { state.withLock { $0.inside[address] != nil } }

    /// Where the camera behind a door is at home: taken in here, or taken in at a place where nothing is any more.
    ///
    /// Nil for one that nobody has.
    func home(of info: DeviceInfo, at address: String, among present: Set<String>) -> String? {
        let volume = CameraNaming.volume(info, guid: [], address: address)
        return state.withLock { state in
            if let inside = state.inside[address] { return inside.home }
            return state.inside.first { place, inside in
                !present.contains(place) && CameraNaming.volume(inside.info, guid: [], address: place) == volume
            }?.value.home
        }
    }

    public func left(_ address: String) { state.withLock { _ = $0.inside.removeValue(forKey: address) } }

    /// How a camera that waits is to be treated, now that its make is known: some must not be closed like others.
    func apply(_ quirks: Quirks, to address: String) async {
        let guest = state.withLock { $0.waiting[address]?.guest }
        await guest?.camera.apply(quirks)
    }

    /// Lets one go who waits, because nobody wants it.
    public func dismiss(_ address: String) async {
        let guest = state.withLock { $0.waiting.removeValue(forKey: address)?.guest }
        await guest?.camera.close()
    }

    /// Lets everybody go who still waits.
    public func clear() async {
        let guests = state.withLock { state in
            defer { state.waiting = [:] }
            return state.waiting.values.map(\.guest)
        }
        for guest in guests { await guest.camera.close() }
    }

    private func enter(_ guest: Guest, _ door: any CameraDoor, _ source: String, _ home: String) {
        state.withLock { $0.inside[door.address] = Inside(info: guest.info, source: source, home: home) }
    }

    private func expire() {
        let late = state.withLock { state in
            let late = state.waiting.filter { $0.value.since + patience <= .now }
            for address in late.keys { state.waiting[address] = nil }
            return late.values.map(\.guest.camera)
        }
        for camera in late { Task { await camera.close() } }
    }

    private func open(_ door: any CameraDoor) async throws(PTPError) -> Guest {
        let result: Result<PTPCamera, PTPError>
        do throws(IngestError) {
            result = try await pool.run { () throws(IngestError) in Result { () throws(PTPError) in PTPCamera(try self.connect(door)) } }
        } catch { throw .sink(error) }
        let camera = try result.get()
        do throws(PTPError) {
            try await camera.open()
            return Guest(camera: camera, info: await camera.info)
        } catch {
            await camera.close()
            throw error
        }
    }
}
