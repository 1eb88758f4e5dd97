public import FilmgateCore
public import Hummingbird
public import HummingbirdCore
import Logging
import NIOCore

/// A small HTTP server at one address, which ends without leaving connections behind and without words.
public struct LocalHTTPServer<Responder: HTTPResponder>: Sendable
where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
    private let name: String, host: String, port: Int
    private let responder: Responder
    private let channel: HTTP1Channel.Configuration, limit: Int?

    /// `name` is what messages call it.
    ///
    /// `port` 0: a free one. `connections`: how many may be open at once; further ones wait until one of them ends.
    public init(
        _ name: String, host: String, port: Int, responder: Responder, channel: HTTP1Channel.Configuration = .init(),
        connections: Int? = nil
    ) {
        (self.name, self.host, self.port, self.responder) = (name, host, port, responder)
        (self.channel, limit) = (channel, connections)
    }

    /// Serves until the task is cancelled.
    ///
    /// `started` is told the port once it can be reached. `misconfigured` when the address cannot be had.
    public func run(_ started: @escaping @Sendable (Int) -> Void) async throws(IngestError) {
        let waiting = WaitingConnections(), channel = channel
        let application = Application(
            responder: responder, server: HTTPServerBuilder { TrackedChannel($0, channel, waiting: waiting) },
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
            throw IngestError(
                .misconfigured, "The \(name) cannot listen on \(host):\(port): \(error).", advice: "Choose another port.", cause: error)
        }
    }
}
