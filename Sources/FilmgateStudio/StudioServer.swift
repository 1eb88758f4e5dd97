import FileKit
public import FilmgateCore
import FilmgateLedger
import HummingbirdCore
public import Logging
import NIOCore
import PreviewKit
public import ServerKit

/// The page and its API: served to this machine, and to others through TLS.
public final class StudioServer: Sendable {
    public struct Options: Sendable {
        /// The state directory; it need not be there yet.
        public var state: String
        /// An address and a port, 0 for a free one; without a certificate an address of this machine alone.
        public var host: String, port: Int
        public var certificate: ServerCertificate?
        /// Further names under which browsers may ask, such as those of a tunnel.
        public var names: [String] = []
        public var version = ""
        /// The pipeline that cards are imported and proven with; it is only read.
        public var pipeline: String?
        /// Where pictures are kept; nil shows none.
        public var previews: String?
        /// What decodes them; nil for the one that came with this program.
        public var previewProgram: String?
        /// How often, and for how long, the catalogue of stations is asked.
        var catalogPace = CatalogView.Pace()
        public init(state: String, host: String, port: Int) { (self.state, self.host, self.port) = (state, host, port) }
    }

    /// More connections wait until one of these ends; no other machine has more than half of them.
    private static let mostConnections = 256, mostOfAddress = mostConnections / 2
    private static let mostHeader = 16 << 10
    private let options: Options, services: StudioServices, logger: Logger
    private let running = BackgroundServer()
    /// Codes, sessions and tokens.
    public let grants: GrantStore

    /// Throws `misconfigured` for an address at which the page is not served: what is said there could be read and
    /// changed on its way.
    ///
    /// `options`: how those of a certificate begin on the command line.
    public static func check(host: String, isEncrypted: Bool = false, options: String = "--") throws(IngestError) {
        if LocalAddress.isLoopback(host) { return }
        guard LocalAddress.isNumber(host) else {
            throw IngestError(
                .misconfigured, "`\(host)` is no address.",
                advice: "Such as 192.168.1.20, or 0.0.0.0 for all of this machine.")
        }
        guard isEncrypted else {
            throw IngestError(
                .misconfigured,
                "The page is not served at \(host) like this: other machines could reach it there, unencrypted.",
                advice:
                    "Add `\(options)self-signed`, or `\(options)certificate` and `\(options)key`. Or listen on 127.0.0.1, and reach it from elsewhere "
                    + "through `ssh -L 8484:127.0.0.1:8484 THIS-MACHINE`.")
        }
    }

    /// Throws `misconfigured` for an address that others can reach, without a certificate.
    public init(_ options: Options, _ services: StudioServices, logger: Logger) throws(IngestError) {
        try Self.check(host: options.host, isEncrypted: options.certificate != nil)
        guard (0...65_535).contains(options.port) else {
            throw IngestError(.misconfigured, "\(options.port) is no port.")
        }
        (self.options, self.services, self.logger) = (options, services, logger)
        grants = GrantStore(state: options.state)
    }

    /// Serves until the task is cancelled; `started` is told the port.
    public func run(_ started: @escaping @Sendable (Int) -> Void) async throws(IngestError) {
        var channel = HTTP1Channel.Configuration(additionalChannelHandlers: [HeadDeadline()])
        channel.httpDecoder = .init(
            maxHeaderFieldSize: Self.mostHeader, maxHeaderListSize: Self.mostHeader, maxHeaderFieldCount: 100)
        let stream = StudioStream(), api = try api(stream)
        let responder = StudioResponder(
            check: RequestCheck(
                names: HostNames(host: options.host, more: options.names, isEncrypted: options.certificate != nil)),
            api: api,
            page: PageFiles())
        let server = LocalHTTPServer(
            "page", host: options.host, port: options.port, responder: responder, channel: channel,
            connections: Self.mostConnections, share: Self.mostOfAddress, certificate: options.certificate)
        let feeder = Task { await StreamFeeder(api: api, stream: stream).run() }
        // A card is shown as soon as it is mounted, without anybody asking for it again and again.
        let mounts = Task {
            guard let changes = MountWatch.changes() else { return }
            for await _ in changes { stream.add([("cards", .cards)]) }
        }
        let start = LocalAddress.start(options.host, isEncrypted: options.certificate != nil)
        let result = await Result { () async throws(IngestError) in
            try await server.run { [grants, logger] port in
                do throws(IngestError) { try grants.note(address: "\(start):\(port)") } catch {
                    logger.warning("studio: where the page is served could not be written down: \(error.message)")
                }
                started(port)
            }
        }
        // One that stays noted is asked whether it answers.
        try? grants.forgetAddress()
        feeder.cancel()
        mounts.cancel()
        await withCheckedContinuation { ended in
            BlockingThread.run {
                api.inquiry.end()
                api.jobs.end()
                api.pictures.maker?.end()
                ended.resume()
            }
        }
        try result.get()
    }

    /// Serves in the background and returns the port; ended by `stop`.
    public func start() async throws(IngestError) -> Int {
        try await running.start { started async throws(IngestError) in try await self.run(started) }
    }

    public func stop() async { await running.stop() }

    /// Makes a code that opens one session, within five minutes.
    public func makeCode(role: Role = .admin) throws(IngestError) -> String {
        try grants.makeCode(role: role, seconds: nil, now: Int64(WallClock.seconds)).code
    }

    private func api(_ stream: StudioStream) throws(IngestError) -> StudioAPI {
        let instance = try grants.instance(), numbers = instance.map { UInt64($0) }
        func word(_ start: Int) -> UInt64 { numbers[start..<(start + 8)].reduce(0) { $0 << 8 | $1 } }
        let key = SipKey(low: word(0), high: word(8))
        let access = AccessControl(grants, logger: logger) { Int64(WallClock.seconds) }
        let ledger = LedgerView(state: options.state, key: key)
        let program = JobRunner.Program(path: services.program, state: options.state)
        let jobs = JobRunner(program) { job in
            stream.add([("job " + job.id, .job(job.object.finished))])
        }
        let proofs = CardProofs(ledger, mounted: services.mounted) { stream.add([("cards", .cards)]) }
        var pictures = Pictures()
        if let folder = options.previews {
            pictures.maker = PreviewMaker(folder: folder, program: options.previewProgram) {
                [activity = pictures.activity] in
                activity.isBusy
            }
        }
        let inquiry = CommandInquiry(program)
        let catalog = CatalogView(inquiry, pipeline: options.pipeline, pace: options.catalogPace)
        return StudioAPI(
            access: access, frames: Frames(ledger: ledger, key: key), services: services, stream: stream, jobs: jobs,
            proofs: proofs, inquiry: inquiry, catalog: catalog, pictures: pictures, pipeline: options.pipeline,
            state: options.state,
            version: options.version,
            cookie: SessionCookie(
                name: "filmgate_" + AccessSecret.hexadecimal(Array(instance[16..<20])),
                isEncrypted: options.certificate != nil))
    }
}
