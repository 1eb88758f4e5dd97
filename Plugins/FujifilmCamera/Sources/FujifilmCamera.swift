public import FilmgateCore
public import PTPKit

/// Fujifilm X and GFX bodies: over Wi-Fi in their app's dialect, over USB by the standard.
public struct FujifilmCamera: CameraModule {
    public typealias Config = CommonCameraConfig
    public static let manifest = Manifest(
        "fujifilm", "Takes files from Fujifilm cameras: over Wi-Fi as their app does, or over USB.",
        stability: .experimental, gives: [.file])

    public let handler = FujifilmHandler()
    public let options: CameraOptions
    public let visit: CameraEnvironment

    public init(_ config: Config, _ context: ModuleContext) throws(IngestError) {
        (options, visit) = (config.camera, CameraEnvironment(context))
    }

    /// The dialect's own port, and its own greeting.
    public func connector(to host: CameraHost) throws(IngestError) -> any CameraConnector {
        FujiCameraConnector(
            host: host.host, port: host.port ?? FujiCameraConnector.commandPort, identity: try visit.identity())
    }
}

/// A Fujifilm camera on the network.
struct FujiCameraConnector: CameraConnector {
    static let commandPort: UInt16 = 55740

    var host: String, port: UInt16, identity: InitiatorIdentity
    var address: String { "fuji://\(host):\(port)" }
    var usb: USBIdentity? { nil }
    /// A body refuses the first greeting now and then, or hangs up, and takes the second.
    private static let tries = 3

    func open() throws(PTPError) -> sending any CameraLink {
        var failure = PTPError.gone("nobody answers")
        for attempt in 0..<Self.tries {
            if attempt > 0 { FujiPause.wait(.milliseconds(500)) }
            let socket = try Socket.connect(host: host, port: port, by: .after(.seconds(3)))
            do throws(PTPError) {
                let name = try FujiHandshake.exchange(socket, identity, by: .after(.seconds(10)))
                // A request that comes sooner is lost on some bodies.
                FujiPause.wait(.milliseconds(50))
                return FujiLink("\(host):\(port)", model: name, stream: socket)
            } catch {
                socket.stop()
                failure = error
                switch error {
                case .busy, .gone: continue
                default: throw error
                }
            }
        }
        throw failure
    }
}
