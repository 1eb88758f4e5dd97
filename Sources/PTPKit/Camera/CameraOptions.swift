public import FilmgateCore

/// What the pipeline file can say about every make's cameras.
public struct CameraOptions: Sendable {
    /// The order in which a camera's files are taken.
    public enum Order: String, Sendable, CaseIterable, ConfigValue {
        case camera, newest, oldest
        /// Every JPEG before anything else, each kind in the camera's order: pictures to show while RAW and clips
        /// follow.
        case jpegFirst = "jpeg-first"
    }

    public var network = CameraHosts()
    public var usb = true
    public var formats: [MediaKind] = []
    public var slot = 0
    public var order = Order.camera
    /// Nil: the make's own.
    public var chunk: ByteCount?
    public var keepAlive: Duration?
    /// Where the camera's own small pictures go; nil: they are not asked for.
    public var thumbnails: String?
    /// What a continuous run takes of the files that were there before it.
    public var backlog = Backlog.sinceLast

    public init() {}

    /// The addresses given.
    public var hosts: [CameraHost] {
        get { network.given }
        set { network.given = newValue }
    }

    /// A make's quirks, with what the file says instead.
    func applied(to quirks: Quirks) -> Quirks {
        quirks.with { quirks in
            if let chunk { quirks.chunk = UInt32(clamping: max(4096, min(chunk.bytes, 64 << 20))) }
            if let keepAlive { quirks.keepAlive = keepAlive }
        }
    }
}

/// Options of a camera module: the common ones, and perhaps its own.
public protocol CameraConfig: ModuleConfig {
    var camera: CameraOptions { get set }
}

extension CameraConfig {
    public func validate(at node: ConfigNode) throws(ConfigError) {
        func place(_ name: String) -> Mark { node[name]?.mark ?? node.mark }
        if let chunk = camera.chunk, !(4096...(64 << 20)).contains(chunk.bytes) {
            throw ConfigError(place("chunk"), "out-of-range", "`chunk` must be between 4KiB and 64MiB.")
        }
        if let pause = camera.keepAlive, !(.seconds(1)...(.seconds(3600))).contains(pause) {
            throw ConfigError(place("keep_alive"), "out-of-range", "`keep_alive` must be between 1s and 1h.")
        }
        guard let folder = camera.thumbnails, !folder.hasPrefix("/"), folder != "~", !folder.hasPrefix("~/") else {
            return
        }
        throw ConfigError(
            place("thumbnails"), "bad-path", "The folder must be an absolute path or begin with `~/`.",
            hint: "A service runs in another folder than you do.")
    }

    public static var cameraFields: [Field<Self>] {
        [
            .field(
                "hosts", \.camera.network,
                "`auto`, or a list of cameras' addresses, each with `:port` where it is not the usual one."),
            .field("usb", \.camera.usb, "Also take cameras that are plugged in."),
            .field("formats", \.camera.formats, "Only files of these kinds; without any, everything."),
            .field("slot", \.camera.slot, in: 0...9, "Only this card slot; 0 is all of them."),
            .field("order", \.camera.order, "The order in which what is on the camera is taken."),
            .field("chunk", \.camera.chunk, "Bytes asked for at a time; without it, what suits the make."),
            .field("backlog", \.camera.backlog, "What `run` takes of the files that are on the camera when it is met."),
            .field("keep_alive", \.camera.keepAlive, "How often an idle camera is contacted, so that it stays awake."),
            .field(
                "thumbnails", \.camera.thumbnails,
                "A folder for the camera's own small picture of each file, asked for before the file."),
        ]
    }
}

/// The common options and nothing else.
public struct CommonCameraConfig: CameraConfig {
    public var camera = CameraOptions()
    public init() {}
    public static let schema = Schema<Self>(cameraFields)
}
