public import FilmgateCore
public import Logging

/// A target that speaks HTTP, and the real server that it is tested against.
public struct HTTPBench: Sendable {
    /// A running server.
    public struct Server: Sendable {
        public var port: Int
        /// Where on the server this check has its room, such as `/r1`; part of the base that `make` gets.
        public var room: String
        /// How many copies of these bytes it holds.
        public var copies: @Sendable (_ sha256: String) async throws -> Int
        public var stop: @Sendable () async -> Void

        public init(
            port: Int, room: String = "", copies: @escaping @Sendable (String) async throws -> Int,
            stop: @escaping @Sendable () async -> Void = {}
        ) {
            (self.port, self.room, self.copies, self.stop) = (port, room, copies, stop)
        }
    }

    /// Starts a server of its own for one check; it accepts `secret` as a bearer.
    public var start: @Sendable (_ secret: String) async throws -> Server
    /// Builds the target for a server at `base` (`http://127.0.0.1:port`), giving up on a silent server after
    /// `patience`.
    public var make:
        @Sendable (_ base: String, _ auth: any AuthProvider, _ logger: Logger, _ patience: Duration) throws ->
            any UploadTarget

    /// Longer than any server that works needs, on a busy machine too; and as short as the checks of silent servers
    /// need it.
    static let patient = Duration.seconds(60), hasty = Duration.seconds(1)
    /// What the request with the bytes brings is visible at once; false when another request has to follow.
    public var storesAtOnce = true
    /// Which requests carry a file, as opposed to questions.
    public var isUpload: @Sendable (FaultServer.Seen) -> Bool
    /// Where those requests carry no credential, the first question on the way to them that does; it is told what
    /// uploads are told else.
    public var isSigned: (@Sendable (FaultServer.Seen) -> Bool)?

    public init(
        start: @escaping @Sendable (String) async throws -> Server,
        make: @escaping @Sendable (String, any AuthProvider, Logger, Duration) throws -> any UploadTarget,
        isUpload: @escaping @Sendable (FaultServer.Seen) -> Bool = { $0.method == "PUT" || $0.method == "POST" }
    ) {
        (self.start, self.make, self.isUpload) = (start, make, isUpload)
    }

    /// The same target for `TargetConformance`.
    public var plain: TargetBench {
        TargetBench {
            let secrets = CanarySecrets(), server = try await start(secrets.value ?? "")
            let target = try make(
                "http://127.0.0.1:\(server.port)\(server.room)", CanaryAuth(secrets), LogCollector().logger,
                Self.patient)
            return TargetPlace(target, copies: server.copies, close: server.stop)
        }
    }

    /// Everything that one check needs.
    struct Scene: Sendable {
        let target: any UploadTarget, auth: CanaryAuth, proxy: FaultServer, server: Server, log: LogCollector
        let job: SampleJob
        let isUpload: @Sendable (FaultServer.Seen) -> Bool
        let isSigned: @Sendable (FaultServer.Seen) -> Bool

        /// Where the target sends to: the proxy.
        var base: String { proxy.url + server.room }
        var uploads: [FaultServer.Seen] { proxy.seen.filter(isUpload) }

        /// Requests with the credential that a refusal is the answer to.
        var signed: [FaultServer.Seen] { proxy.seen.filter(isSigned) }

        /// Throws unless the server holds so many copies of the job, or comes to it: what it was told may still be
        /// under way there.
        func expectCopies(_ count: Int) async throws {
            var found = try await server.copies(job.digests.sha256), tries = 0
            while found < count, tries < 200 {
                try await Task.sleep(for: .milliseconds(25))
                found = try await server.copies(job.digests.sha256)
                tries += 1
            }
            try expect(found == count, "The server holds \(found) copies instead of \(count).")
        }

        /// Throws when the error or the log shows the credential.
        func expectSecret(keptBy error: IngestError) throws {
            try auth.secrets.expectAbsent(
                from: "\(error) \(String(reflecting: error)) \(error.advice ?? "")", "The error")
            try auth.secrets.expectAbsent(from: log.text, "The log")
        }
    }

    /// Runs `body` with a proxy in front of the server: `act` decides about the n-th upload (from 0), all else passes.
    ///
    /// `signed`: about the n-th request that carries the credential instead.
    func scene(
        count: Int = 100_000, signed: Bool = false,
        _ act: @escaping @Sendable (Int, FaultServer.Seen, CanarySecrets) -> FaultAct,
        _ body: (Scene) async throws -> Void
    ) async throws {
        let secrets = CanarySecrets(), log = LogCollector(), auth = CanaryAuth(secrets)
        let server = try await start(secrets.value ?? "")
        let counter = Counter(), isUpload = isUpload, isSigned = isSigned ?? isUpload
        let isMeant = signed ? isSigned : isUpload
        let proxy = try FaultServer(upstream: server.port) { seen, _ in
            isMeant(seen) ? act(counter.next(), seen, secrets) : .relay
        }
        let target = try make(proxy.url + server.room, auth, log.logger, Self.patient)
        let scene = Scene(
            target: target, auth: auth, proxy: proxy, server: server, log: log, job: try SampleJob(count: count),
            isUpload: isUpload, isSigned: isSigned)
        do { try await body(scene) } catch {
            proxy.stop()
            await server.stop()
            throw error
        }
        proxy.stop()
        await server.stop()
    }
}
