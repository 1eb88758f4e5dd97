public import FilmgateCore
import Glibc
public import Hummingbird
public import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore

/// A small HTTP server at one address, which ends without leaving connections behind and without words.
public struct LocalHTTPServer<Responder: HTTPResponder>: Sendable
where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
    private let name: String, host: String, port: Int
    private let responder: Responder
    private let channel: HTTP1Channel.Configuration, limit: Int?, certificate: ServerCertificate?

    /// `name` is what messages call it.
    ///
    /// `port` 0: a free one. `connections`: how many may be open at once; further ones wait until one of them ends.
    /// With `certificate` it speaks TLS alone, and HTTP/2 to who can.
    public init(
        _ name: String, host: String, port: Int, responder: Responder, channel: HTTP1Channel.Configuration = .init(),
        connections: Int? = nil, certificate: ServerCertificate? = nil
    ) {
        (self.name, self.host, self.port, self.responder) = (name, host, port, responder)
        (self.channel, limit, self.certificate) = (channel, connections, certificate)
    }

    /// Serves until the task is cancelled.
    ///
    /// `started` is told the port once it can be reached. `misconfigured` when the address cannot be had.
    public func run(_ started: @escaping @Sendable (Int) -> Void) async throws(IngestError) {
        let waiting = WaitingConnections(), channel = channel, certificate = certificate
        let application = Application(
            responder: responder, server: HTTPServerBuilder { try Self.connections($0, channel, certificate, waiting) },
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: port), serverName: nil,
                availableConnectionsDelegate: limit.map { MaximumAvailableConnections($0) }),
            onServerRunning: { started($0.localAddress?.port ?? 0) }, logger: Logger(label: name) { _ in SwiftLogNoOpLogHandler() })
        let result = await Result { try await application.run() }
        await waiting.end()
        do {
            try result.get()
        } catch is CancellationError {
            return
        } catch {
            if Task.isCancelled { return }
            if (error as? IOError)?.errnoCode == EADDRNOTAVAIL {
                throw IngestError(
                    .misconfigured, "The \(name) cannot listen on \(host): that is no address of this machine.",
                    advice: "`ip -brief address` lists its addresses; 0.0.0.0 stands for all of them.", cause: error)
            }
            throw IngestError(
                .misconfigured, "The \(name) cannot listen on \(host):\(port): \(error).", advice: "Choose another port.", cause: error)
        }
    }

    private static func connections(
        _ responder: @escaping HTTPChannelHandler.Responder, _ channel: HTTP1Channel.Configuration, _ certificate: ServerCertificate?,
        _ waiting: WaitingConnections
    ) throws -> any ServerChildChannel {
        guard let certificate else {
            return TrackedChannel(HTTP1Channel(responder: responder, configuration: channel), waiting: waiting)
        }
        let both = try HTTP2UpgradeChannel(
            tlsConfiguration: certificate.configuration,
            configuration: HTTP2ChannelConfiguration(idleTimeout: .seconds(60), streamConfiguration: channel), responder: responder)
        return TrackedChannel(both, waiting: waiting)
    }
}
