public import FilmgateCore
import Glibc

/// A way to one camera that may be there: an address on the network, a device on a bus.
public protocol CameraConnector: Sendable {
    /// `ptpip://192.168.1.1:15740`, `usb://001/004`.
    var address: String { get }
    /// Known without opening, where it came by USB.
    var usb: USBIdentity? { get }
    /// Connects; blocks up to its own limits. `gone` when nobody is there.
    func open() throws(PTPError) -> sending any CameraLink
}

/// A bus that cameras can be plugged into.
///
/// The program gives it to the modules as a service.
public protocol CameraBus: Sendable {
    /// What is plugged in now and may be a camera. Opens nothing.
    func connectors() throws(PTPError) -> [any CameraConnector]
    /// Tells that something was plugged in or out, for as long as the stream is held; nil where only asking again shows
    /// it.
    func changes() -> AsyncStream<Void>?
}

extension CameraBus {
    public func changes() -> AsyncStream<Void>? { nil }
}

/// A camera on the network, spoken to in PTP/IP.
public struct PTPIPCameraConnector: CameraConnector {
    public var transport: PTPIPConnector
    /// How long a host that refuses, or hangs up in the handshake, is tried again: bodies do both between two
    /// connections.
    public var patience: Duration = .milliseconds(1500)
    public init(_ transport: PTPIPConnector) { self.transport = transport }
    public var address: String { "ptpip://\(transport.host):\(transport.port)" }
    public var usb: USBIdentity? { nil }

    public func open() throws(PTPError) -> sending any CameraLink {
        let end = Deadline.after(patience)
        while true {
            do throws(PTPError) { return try transport.open() } catch {
                guard error.mayPassSoon, !end.hasPassed else { throw error }
                usleep(100_000)
            }
        }
    }
}

/// `host`, `host:port` or `[IPv6]:port` of a camera.
public struct CameraHost: Sendable, Hashable, ConfigValue {
    public var host: String
    /// Nil: the make's own.
    public var port: UInt16?

    public init(_ host: String, port: UInt16? = nil) { (self.host, self.port) = (host, port) }

    public init?(text: String) {
        var (host, port) = (Substring(text), Substring?.none)
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = text.lastIndex(of: ":") {
            (host, port) = (text[..<colon], text[text.index(after: colon)...])
        }
        let allowed = host.utf8.allSatisfy {
            $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "@")
        }
        guard !host.isEmpty, host.utf8.count <= 253, allowed else { return nil }
        self.host = String(host)
        guard let port else { return }
        guard let number = UInt16(port), number > 0 else { return nil }
        self.port = number
    }

    public static var kind: ValueKind { .text }
    public init(node: ConfigNode) throws(ConfigError) {
        let text = try node.text("a camera's address such as 192.168.1.1")
        guard let host = CameraHost(text: text) else {
            throw ConfigError(
                node.mark, "wrong-type", "`\(text)` is no address.",
                hint: "Write a host or an IP address, perhaps with `:port`.")
        }
        self = host
    }
    public var shown: String? { port.map { "\(host):\($0)" } ?? host }
}
