public import FilmgateCore
import GPhoto2Wire
import PTPKit

/// What only libgphoto2 knows: several thousand models, each camera in a process of its own.
public struct GPhoto2Source: Module, SourceDriver {
    public struct Config: ModuleConfig {
        public var port = "", model = ""
        public var formats: [MediaKind] = []
        public var backlog = Backlog.sinceLast
        public init() {}
        public static let schema: Schema<Self> = [
            .field(
                "port", \.port,
                "Only the camera at this port, as `gphoto2 --auto-detect` names it; without it, every one that is found."
            ),
            .field("model", \.model, "Its model by libgphoto2's name, where that cannot be found out."),
            .field("formats", \.formats, "Only files of these kinds; without any, everything."),
            .field("backlog", \.backlog, "What `run` takes of the files that are on the camera when it is met."),
        ]
    }

    public static let manifest = Manifest(
        "gphoto2", "Takes files from any camera that libgphoto2 knows, each in a process of its own.",
        stability: .experimental, gives: [.file])

    private let config: Config
    private let context: ModuleContext
    private let connect: GPhotoConnect
    private let executor = BlockingPool(width: 1)

    public init(_ config: Config, _ context: ModuleContext) throws(IngestError) {
        self.init(config, context) { () throws(IngestError) in try GPhotoProcess() }
    }

    init(_ config: Config, _ context: ModuleContext, connect: @escaping GPhotoConnect) {
        (self.config, self.context, self.connect) = (config, context, connect)
    }

    public var traits: SourceTraits { SourceTraits(backlog: config.backlog, lookEvery: .seconds(15)) }

    /// Cameras that libgphoto2 finds and no module named before this one takes.
    ///
    /// `notFound` when a port was asked for and nothing is there, and when libgphoto2's process is not installed.
    public func places() async throws(IngestError) -> [SourcePlace] {
        var places: [SourcePlace] = []
        for (model, port) in try await detected() {
            let place = SourcePlace(source: Self.manifest.name, address: GPhotoPort.address(port), label: model)
            if try await isTaken(place.address) { continue }
            places.append(place)
        }
        if places.isEmpty, !config.port.isEmpty {
            throw IngestError(
                .notFound, "libgphoto2 finds no camera at \(config.port).",
                advice: "filmgate cameras lists what is there.")
        }
        return places
    }

    public func open(_ place: SourcePlace) async throws(IngestError) -> any SourceSession {
        let port = GPhotoPort.port(place.address)
        let model = config.model.isEmpty ? place.label : config.model
        return try await GPhotoSession.open(place, .open(model: model, port: port), config, connect)
    }

    /// The program around libgphoto2; nil where it is not installed.
    public static var program: String? { ChildProgram.path }

    /// Starts the program and has it look for cameras, of which it opens none.
    ///
    /// `notFound` where it is not installed, `deviceGone` with how it ended where it does not work.
    public static func trial() throws(IngestError) { try trial(of: try GPhotoProcess()) }

    static func trial(of link: some GPhotoLink) throws(IngestError) {
        defer { link.end() }
        try link.ask(.detect, silence: .seconds(20)) { _ in }
    }

    /// libgphoto2's own name of a place's port.
    public static func port(of place: SourcePlace) -> String { GPhotoPort.port(place.address) }

    private func detected() async throws(IngestError) -> [(model: String, port: String)] {
        if !config.port.isEmpty, !config.model.isEmpty { return [(config.model, config.port)] }
        let (connect, wanted) = (connect, config.port)
        return try await executor.run { () throws(IngestError) in
            let link = try connect()
            defer { link.end() }
            var found: [(model: String, port: String)] = []
            try link.ask(.detect, silence: .seconds(30)) { reply throws(IngestError) in
                guard case .camera(let model, let port) = reply, wanted.isEmpty || wanted == port, found.count < 64
                else { return }
                found.append((model, port))
            }
            // A mounted card is the card source's, unless its port was asked for.
            return found.filter { !wanted.isEmpty || !$0.port.hasPrefix("disk:") }
        }
    }

    /// True when another camera module of the pipeline has it, or would take it.
    private func isTaken(_ address: String) async throws(IngestError) -> Bool {
        guard let order = context.lookup.service(CameraOrder.self), !order.isEmpty,
            let connections = context.lookup.service(CameraConnections.self)
        else { return false }
        let buses = context.lookup.services.compactMap { $0 as? any CameraBus }
        guard let door = buses.lazy.flatMap({ (try? $0.connectors()) ?? [] }).first(where: { $0.address == address })
        else { return false }
        do throws(PTPError) {
            let (info, holder) = try await connections.look(door)
            if holder != nil || order.taker(of: info, door.usb) != nil { return true }
            await connections.release(address)
            return false
        } catch {
            let failure = IngestError(error, camera: address)
            if failure.code == .cancelled { throw failure }
            // What does not even answer by the standard is left to libgphoto2.
            return false
        }
    }
}

/// libgphoto2's names of ports, and ours.
enum GPhotoPort {
    /// `usb:001,004` is `usb://001/004`; others keep their name behind `gphoto2://`.
    static func address(_ port: String) -> String {
        guard port.hasPrefix("usb:"), port.contains(",") else { return "gphoto2://" + port }
        return "usb://" + port.dropFirst(4).split(separator: ",").joined(separator: "/")
    }

    static func port(_ address: String) -> String {
        if address.hasPrefix("gphoto2://") { return String(address.dropFirst(10)) }
        return "usb:" + address.dropFirst(6).split(separator: "/").joined(separator: ",")
    }
}
