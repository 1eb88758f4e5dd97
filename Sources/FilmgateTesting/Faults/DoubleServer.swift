/// Stands in for a service that has no server to test against: an answer to every request.
public protocol ServiceDouble: AnyObject, Sendable {
    /// Asked with the whole request, on the connection's own thread.
    func answer(_ seen: FaultServer.Seen) -> FaultAct
}

/// The server below a double, on loopback; ends with it.
public final class DoubleServer<Service: ServiceDouble>: Sendable {
    private let server: FaultServer
    private let double: Weak<Service>

    public init() throws {
        let double = Weak<Service>()
        self.double = double
        server = try FaultServer { _, _ in .compute { seen in double.value?.answer(seen) ?? .hangUpAfterBody } }
    }

    deinit { server.stop() }

    /// Has to be called before the first request.
    public func answers(_ service: Service) { double.value = service }

    public var url: String { server.url }
    public var seen: [FaultServer.Seen] { server.seen }
    public func stop() { server.stop() }
}
