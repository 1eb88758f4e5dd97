public import FilmgateCore
import Hummingbird
import ServerKit

/// A small gallery on this machine that takes uploads, for trying Filmgate out and for tests.
///
/// `PUT /api/assets/NAME` (the bare file) and `POST /api/assets` (a form) answer 201 with `{id, sha256, size, name,
/// url, duplicate}`; the same bytes again answer 200 with the same id. `GET|HEAD /api/assets/by-digest/SHA256` says
/// whether it has them, `GET /api/assets/ID` (or a SHA-256) returns them, `GET /api/assets?offset=&limit=` lists, `/`
/// is a page. All of it needs the token, as a bearer or as the password of basic sign-in; only `GET /api/health` does
/// not.
public final class GalleryServer: Sendable {
    private let store: GalleryStore, token: String, host: String, port: Int
    private let plan: FaultPlan
    private let running = BackgroundServer()

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
        let host = host
        try await serve { started("http://\(host):\($0)") }
    }

    /// Serves in the background and returns the port; ended by `stop`.
    public func start() async throws(IngestError) -> Int {
        try await running.start { started async throws(IngestError) in try await self.serve(started) }
    }

    /// Ends what `start` began, and waits for it.
    public func stop() async { await running.stop() }

    private func serve(_ started: @escaping @Sendable (Int) -> Void) async throws(IngestError) {
        let routes = GalleryRoutes(store, token: token, faults: plan)
        try await LocalHTTPServer("gallery", host: host, port: port, responder: routes.router().buildResponder()).run(
            started)
    }
}
