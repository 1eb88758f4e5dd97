public import FilmgateCore
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// A small gallery on this machine that takes uploads, for trying Filmgate out and for tests.
///
/// `PUT /api/assets/NAME` (the bare file) and `POST /api/assets` (a form) answer 201 with `{id, sha256, size, name, url, duplicate}`; the
/// same bytes again answer 200 with the same id. `GET|HEAD /api/assets/by-digest/SHA256` says whether it has them, `GET /api/assets/ID`
/// (or a SHA-256) returns them, `GET /api/assets?offset=&limit=` lists, `/` is a page. All of it needs the token, as a bearer or as the
/// password of basic sign-in; only `GET /api/health` does not.
public final class GalleryServer: Sendable {
    private let store: GalleryStore, token: String, host: String, port: Int
    private let plan: FaultPlan
    private let running = Mutex<Task<Void, Never>?>(nil)

    /// Reads what `directory` holds already, creating it where missing.
    ///
    /// `port` 0: a free one.
    ///
    /// `fault` as `GalleryFault.list` reads it.
    public init(
        directory: String, token: String, port: Int = 0, host: String = "127.0.0.1", fault: String? = nil
    ) throws(IngestError) {
        guard !token.isEmpty else { throw IngestError(.misconfigured, "The gallery needs a token.") }
        guard (0...65_535).contains(port) else { throw IngestError(.misconfigured, "\(port) is no port.") }
        (self.token, self.host, self.port) = (token, host, port)
        plan = FaultPlan(try fault.map(GalleryFault.list) ?? [])
        store = try GalleryStore(directory)
    }

    /// How many assets it holds.
    public var count: Int { store.count }

    /// Misbehaves like this from now on; counting starts anew.
    public func setFaults(_ faults: [GalleryFault]) { plan.set(faults) }

    /// Serves until the task is cancelled.
    ///
    /// `started` is told the address once it can be reached.
    ///
    /// `misconfigured` when the port is taken.
    public func run(_ started: @escaping @Sendable (String) -> Void = { _ in }) async throws(IngestError) {
        let routes = GalleryRoutes(store, token: token, faults: plan), host = host, waiting = WaitingConnections()
        let application = Application(
            router: routes.router(),
            server: HTTPServerBuilder { TrackedChannel($0, waiting: waiting) },
            configuration: ApplicationConfiguration(address: .hostname(host, port: port), serverName: "filmgate-gallery"),
            onServerRunning: { started("http://\(host):\($0.localAddress?.port ?? 0)") },
            logger: Logger(label: "gallery") { _ in SwiftLogNoOpLogHandler() })
        let result = await Result { try await application.run() }
        await waiting.end()
        do {
            try result.get()
        } catch is CancellationError {
            return
        } catch {
            if Task.isCancelled { return }
            throw IngestError(
                .misconfigured, "The gallery cannot listen on \(host):\(port): \(error).", advice: "Choose another port.", cause: error)
        }
    }

    /// Serves in the background and returns the port; ended by `stop`.
    public func start() async throws(IngestError) -> Int {
        let (addresses, source) = AsyncStream.makeStream(of: Result<String, IngestError>.self)
        let task = Task {
            let result = await Result { () async throws(IngestError) in try await self.run { source.yield(.success($0)) } }
            if case .failure(let error) = result { source.yield(.failure(error)) }
            source.finish()
        }
        running.withLock { $0 = task }
        for await address in addresses { return Int(try address.get().split(separator: ":").last ?? "") ?? 0 }
        throw IngestError(.unexpected, "The gallery ended before it began.")
    }

    /// Ends what `start` began, and waits for it.
    public func stop() async {
        let task = running.withLock { $0.take() }
        task?.cancel()
        await task?.value
    }
}
