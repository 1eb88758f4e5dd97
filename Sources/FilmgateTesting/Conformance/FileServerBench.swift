public import FilmgateCore
public import Logging

/// A target on a server of files, and the real server that it is tested against: over a proxy that knows no protocol.
public struct FileServerBench: Sendable {
    /// A running server.
    public struct Server: Sendable {
        /// The proxy's way to it: first the port that is signed in at, then what transfers need besides.
        public var routes: [FaultProxy.Route]
        /// The names of all files in this check's room, hidden ones too.
        public var files: @Sendable () throws -> [String]
        /// How many files there, final names only, hold these bytes.
        public var copies: @Sendable (_ sha256: String) throws -> Int
        /// Builds the target for the server at `port`, giving up on a silent one after `patience`.
        public var make: @Sendable (_ port: Int, CanarySecrets, Logger, _ patience: Duration) throws -> any UploadTarget

        public init(
            routes: [FaultProxy.Route], files: @escaping @Sendable () throws -> [String],
            copies: @escaping @Sendable (String) throws -> Int,
            make: @escaping @Sendable (Int, CanarySecrets, Logger, Duration) throws -> any UploadTarget
        ) {
            (self.routes, self.files, self.copies, self.make) = (routes, files, copies, make)
        }
    }

    /// A server with an empty room for one check.
    public var start: @Sendable () async throws -> Server
    /// What the server itself says to one client too many, before it hangs up.
    public var turnsAway: String
    /// The password that the server takes; nil when only keys are.
    public var password: String?

    public init(turnsAway: String, password: String? = nil, start: @escaping @Sendable () async throws -> Server) {
        (self.turnsAway, self.password, self.start) = (turnsAway, password, start)
    }

    /// Everything that one check needs.
    struct Scene: Sendable {
        let server: Server, proxy: FaultProxy, secrets: CanarySecrets, log: LogCollector, job: SampleJob

        func target(patience: Duration = HTTPBench.patient) throws -> any UploadTarget {
            try server.make(proxy.port, secrets, log.logger, patience)
        }

        func expectCopies(_ count: Int) throws {
            let found = try server.copies(job.digests.sha256), files = try server.files()
            try expect(found == count, "The server holds \(found) copies instead of \(count): \(files).")
        }

        func expectSecret(keptBy error: IngestError) throws {
            try secrets.expectAbsent(from: "\(error) \(String(reflecting: error)) \(error.advice ?? "")", "The error")
            try secrets.expectAbsent(from: log.text, "The log")
        }
    }

    /// Runs `body` with a proxy in front of the server that lets one fault happen; `fault` gets the server and the
    /// job's digest.
    func scene(
        count: Int = 3_000_000, _ fault: (Server, String) -> FaultProxy.Fault?, _ body: (Scene) async throws -> Void
    ) async throws {
        let server = try await start(), job = try SampleJob(count: count)
        let proxy = try FaultProxy(server.routes, fault(server, job.digests.sha256))
        let secrets = password.map { CanarySecrets($0) } ?? CanarySecrets()
        defer { proxy.stop() }
        try await body(Scene(server: server, proxy: proxy, secrets: secrets, log: LogCollector(), job: job))
    }
}
