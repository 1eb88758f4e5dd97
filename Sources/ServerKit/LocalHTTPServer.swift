public import FilmgateCore
import Glibc
import HTTPTypes
public import Hummingbird
public import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix

/// A small HTTP server at one address, which ends without leaving connections behind and without words.
public struct LocalHTTPServer<Responder: HTTPResponder>: Sendable
where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
    private let name: String, host: String, port: Int
    private let responder: Responder
    private let channel: HTTP1Channel.Configuration, limit: Int?, share: Int?, certificate: ServerCertificate?

    /// `name` is what messages call it.
    ///
    /// `port` 0: a free one. `connections`: how many may be open at once; further ones wait until one of them ends.
    /// `share`: how many of them one other machine's address may have; further ones are closed. With `certificate` it
    /// speaks TLS alone, and HTTP/2 to who can.
    public init(
        _ name: String, host: String, port: Int, responder: Responder, channel: HTTP1Channel.Configuration = .init(),
        connections: Int? = nil, share: Int? = nil, certificate: ServerCertificate? = nil
    ) {
        (self.name, self.host, self.port, self.responder) = (name, host, port, responder)
        (self.channel, limit, self.share, self.certificate) = (channel, connections, share, certificate)
    }

    /// Serves until the task is cancelled.
    ///
    /// `started` is told the port once it can be reached. `misconfigured` when the address cannot be had.
    public func run(_ started: @escaping @Sendable (Int) -> Void) async throws(IngestError) {
        let waiting = WaitingConnections()
        let result = await Result { () async throws in
            guard let certificate else {
                return try await serve(HTTP1Channel(responder: answer, configuration: channel), waiting, started)
            }
            let both = try HTTP2UpgradeChannel(
                tlsConfiguration: certificate.configuration,
                configuration: HTTP2ChannelConfiguration(idleTimeout: .seconds(60), streamConfiguration: channel),
                responder: answer)
            try await serve(both, waiting, started)
        }
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
            if (error as? IOError)?.errnoCode == EADDRINUSE {
                throw IngestError(
                    .misconfigured, "The \(name) cannot listen on \(host):\(port): another program listens there.",
                    advice: "End that one, or choose another port; 0 takes any that is free.", cause: error)
            }
            throw IngestError(
                .misconfigured, "The \(name) cannot listen on \(host):\(port): \(error).",
                advice: "Choose another port.", cause: error)
        }
    }

    /// Not by Hummingbird's `Application`: that wakes once a second to know what time it is, though nobody asks.
    private func serve(
        _ connections: some ServerChildChannel, _ waiting: WaitingConnections,
        _ started: @escaping @Sendable (Int) -> Void
    ) async throws {
        let configuration = ServerConfiguration(
            address: .hostname(host, port: port),
            availableConnectionsDelegate: limit.map { MaximumAvailableConnections($0) })
        let server = Server(
            childChannelSetup: TrackedChannel(
                connections, waiting: waiting, shares: share.map { ConnectionShares(most: $0) }),
            configuration: configuration,
            onServerRunning: { started($0.localAddress?.port ?? 0) },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger)
        try await server.run()
    }

    private struct TornAnswer: Error {}
    private var logger: Logger { Logger(label: name) { _ in SwiftLogNoOpLogHandler() } }

    private var answer: HTTPChannelHandler.Responder {
        { [responder, logger] (request, writer: consuming ResponseWriter, channel) in
            let source = ApplicationRequestContextSource(channel: channel, logger: logger)
            var response: Response
            do {
                response = try await responder.respond(to: request, context: Responder.Context(source: source))
            } catch let error as HTTPParserError {
                throw error
            } catch {
                response = Response(status: .internalServerError, body: .init())
            }
            response.headers[.date] = HTTPDate.text(time(nil))
            do { try await writer.write(response: response.head, body: response.body) } catch is HTTPParserError {
                // As such it would be answered once more.
                throw TornAnswer()
            }
        }
    }
}
