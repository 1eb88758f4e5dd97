public import FilmgateCore
import Glibc
import Logging
public import PTPKit
public import VirtualCamera

/// What the session with every camera can do.
public typealias OpenCamera = WatchingSession & RangeReadingSession & PartialListingSession & PreviewingSession
    & ResultHandlingSession & AnsweringSession & ConditionReportingSession

/// A camera module and a virtual camera of its make, ready to be put together in both ways: by network and by bus.
public struct CameraBench<M: CameraModule>: Sendable {
    public enum Way: String, Sendable, CaseIterable { case network, bus }

    let personality: any Personality
    let usb: USBIdentity
    let configure: @Sendable (inout M.Config) -> Void
    let serve: @Sendable (VirtualCamera) throws(PTPError) -> any CameraServer

    public init(
        _: M.Type, as personality: any Personality, usb: USBIdentity,
        configure: @escaping @Sendable (inout M.Config) -> Void = { _ in },
        serve: @escaping @Sendable (VirtualCamera) throws(PTPError) -> any CameraServer = { camera throws(PTPError) in
            try camera.personality.serve(camera, address: "127.0.0.1", port: 0)
        }
    ) {
        (self.personality, self.usb, self.configure, self.serve) = (personality, usb, configure, serve)
    }

    /// Sets the camera up with `files` on its card, opens it through the module, runs `body`, and takes everything
    /// down.
    public func run(
        _ way: Way, files: [(folder: String, file: VirtualFile)] = CardFiles.few, faults: [Fault] = [],
        _ body: (Scene) async throws -> Void
    ) async throws {
        var card = VirtualCard(firstHandle: personality.firstHandle)
        for (folder, file) in files { card.add(file, in: folder.isEmpty ? personality.folder : folder) }
        let camera = VirtualCamera(personality, cards: [card], faults: faults)
        let state = try TemporaryState()
        defer { state.remove() }
        let bus = VirtualBus()
        let server = way == .network ? try serve(camera) : nil
        defer { server?.stop() }
        if way == .bus { bus.plug(camera, usb: usb) }
        var config = M.Config()
        if let server { config.camera.hosts = [CameraHost("127.0.0.1", port: server.port)] }
        configure(&config)
        var lookup = Lookup()
        lookup.services = [bus, CameraConnections()]
        let module = try M(
            config,
            ModuleContext(name: M.manifest.name, logger: Logger(label: "test"), state: state.path, lookup: lookup))
        let places = try await module.places()
        guard let place = places.first else { throw Failed("the module does not find its camera") }
        guard let session = try await module.open(place) as? any OpenCamera else {
            throw Failed("the session cannot do what every camera's can")
        }
        let scene = Scene(camera: camera, server: server, bus: bus, module: module, place: place, session: session)
        do { try await body(scene) } catch {
            await session.close()
            throw error
        }
        await session.close()
    }

    /// What a check works with.
    public struct Scene: Sendable {
        public let camera: VirtualCamera, server: (any CameraServer)?, bus: VirtualBus, module: M, place: SourcePlace
        public let session: any OpenCamera

        /// The bytes that the session fetches for an entry.
        public func bytes(of entry: SourceEntry, from offset: UInt64 = 0) async throws -> [UInt8] {
            let sink = MemorySink()
            try await session.fetch(entry.origin, from: offset, into: sink)
            return sink.bytes
        }

        /// What the card holds, by name.
        public func content(_ name: String) -> Content? {
            camera.withBody { body in body.cards.flatMap(\.files).first { $0.info.name == name }?.content }
        }
    }
}

/// A check that did not hold, in words.
public struct Failed: Error, CustomStringConvertible {
    public let description: String
    public init(_ description: String) { self.description = description }
}

public func expect(_ condition: Bool, _ what: @autoclosure () -> String) throws {
    if !condition { throw Failed(what()) }
}

/// A state directory for one test.
public struct TemporaryState: Sendable {
    public let path: String

    public init() throws {
        var template = Array("/tmp/filmgate-camera-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw Failed("no temporary folder") }
        path = String(cString: made)
    }

    /// Removes the folder and the files in it, one level deep.
    public func remove() {
        guard let directory = opendir(path) else { return }
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            unlink(path + "/" + name)
        }
        closedir(directory)
        rmdir(path)
    }
}
