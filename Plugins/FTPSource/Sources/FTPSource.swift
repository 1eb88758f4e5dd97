import CardKit
import FTPKit
public import FilmgateCore
import Logging

/// Cameras that push over FTP or FTPS.
public struct FTPSource: Module, SourceDriver {
    public struct Config: ModuleConfig {
        public var listen = "127.0.0.1:2121", certificate = "", key = "", passive = "", passiveAddress = "", inbox = ""
        var tls = FTPServerOptions.TLS.none, logins = PushLogins.listed([])
        public var max = ByteCount(16 << 30), settle = Duration.milliseconds(500), incomplete = Duration.seconds(60)
        public var companions = Duration.seconds(10)
        public var idle = Duration.seconds(300)
        var confirm = PushConfirmation.spooled
        public var confirmWithin = Duration.seconds(60)
        var proxyProtocol: PushBalancers?

        public init() {}

        public static let schema: Schema<Self> = [
            .field("listen", \.listen, "Address and port; `0.0.0.0:2121` lets other machines in."),
            .field(
                "logins", \.logins,
                "Who may push: `{ user: z9, password: \"${env:Z9_FTP}\" }`, one for each camera; or `{ exec: PROGRAM }` or `{ http: URL }`, which are asked."
            ).required(),
            .field("tls", \.tls, "none, explicit (TLS for those who ask), required, or implicit."),
            .field("certificate", \.certificate, "The server's certificate, a PEM file."),
            .field("key", \.key, "Its key, a PEM file."),
            .field("passive", \.passive, "Ports for passive transfers, such as 50000-50099; absent: any."),
            .field("passive_address", \.passiveAddress, "The address told to cameras on the other side of a router."),
            .field("inbox", \.inbox, "Where pushed files wait; absent: in the state directory."),
            .field("max", \.max, "The most bytes that may wait there; then cameras are told to try again later (452)."),
            .field("settle", \.settle, in: .zero...(.seconds(600)), "How long a finished file may still be renamed."),
            .field(
                "incomplete", \.incomplete, in: .zero...(.seconds(86_400)),
                "How long to wait for the rest of a file; then it is taken and flagged."),
            .field(
                "companions", \.companions, in: .zero...(.seconds(3600)),
                "How long a sidecar or a memo that comes before its picture waits for it."),
            .field(
                "idle", \.idle, in: .seconds(10)...(.seconds(86_400)),
                "How long a camera may be idle before it is disconnected; a transfer may take longer."),
            .field(
                "confirm", \.confirm,
                "When a camera is told that a file is safe: spooled (on this disk), or `{ delivered: TARGET }`, once that target has it."
            ),
            .field(
                "confirm_within", \.confirmWithin, in: .seconds(1)...(.seconds(3600)),
                "How long a camera waits for the target; then it is told to send the file again (451)."),
            .field(
                "proxy_protocol", \.proxyProtocol,
                "Behind a balancer that speaks the PROXY protocol: `{ from: [10.0.0.2] }`, its addresses; nobody else may connect then."
            ),
        ]

        public func validate(at node: ConfigNode) throws(ConfigError) {
            func place(_ name: String) -> Mark { node[name]?.mark ?? node.mark }
            try logins.validate(at: place("logins"))
            if FTPAddress(listen) == nil {
                throw ConfigError(
                    place("listen"), "bad-option", "`\(listen)` is not an address.",
                    hint: "Write host:port, such as 127.0.0.1:2121 or [::1]:2121.")
            }
            if !passive.isEmpty, FTPAddress.ports(passive) == nil {
                throw ConfigError(
                    place("passive"), "bad-option", "`\(passive)` is no range of ports.",
                    hint: "Write it as 50000-50099.")
            }
            if confirm.target != nil, confirmWithin <= companions || confirmWithin <= settle {
                throw ConfigError(
                    place("confirm_within"), "bad-option",
                    "`confirm_within` has to be longer than `companions` and `settle`: a sidecar would be refused before it is taken.",
                    hint: "Write a longer `confirm_within`, or a shorter `companions`.")
            }
            if tls != .none, certificate.isEmpty || key.isEmpty {
                throw ConfigError(place("tls"), "bad-option", "TLS needs `certificate` and `key`.")
            }
        }
    }

    static let name = "ftp"
    public static let manifest = Manifest(
        name, "Takes what cameras push over FTP or FTPS.", stability: .beta, gives: [.file])

    private let config: Config, context: ModuleContext, address: FTPAddress, inboxes: PushInboxes
    private let receiver: PushReceiver

    public init(_ config: Config, _ context: ModuleContext) throws(IngestError) {
        (self.config, self.context) = (config, context)
        let address = FTPAddress(config.listen) ?? FTPAddress(host: "127.0.0.1", port: 2121)
        let inbox = config.inbox.isEmpty ? "\(context.state)/ftp/\(address.port)" : config.inbox
        inboxes = context.lookup.service(PushInboxes.self) ?? PushInboxes()
        inboxes.add(inbox, logins: Set(config.logins.listed.map { FTPServer.folderName($0.user) }))
        self.address = address
        receiver = PushReceiver(
            SourcePlace(source: Self.name, address: inbox, label: address.description), config)
    }

    public var traits: SourceTraits { SourceTraits(lookEvery: nil, findsEvents: true) }
    public var folders: [String] { config.inbox.isEmpty ? [] : [config.inbox] }

    public func places() async throws(IngestError) -> [SourcePlace] { try receiver.places() }
    public func changes() -> AsyncStream<Void>? { receiver.changes() }

    /// Listens from now on; at the place of an event nobody does, its files come over the port as well.
    ///
    /// `unavailable` when the port is in use, `misconfigured` where a password or the certificate is missing.
    public func open(_ place: SourcePlace) async throws(IngestError) -> any SourceSession {
        let logins = place.event == nil ? try directory() : nil
        if !receiver.isReady { try await prepare() }
        guard receiver.isThere(place) else { throw IngestError(.notFound, "\(place.label) was left.") }
        let intake = try receiver.intake(for: place.event)
        let (logger, ledger) = (context.logger, context.lookup.ledger)
        guard let logins else { return FTPPushSession(intake, receiver, logger: logger, ledger: ledger) }
        let server = try FTPServer(options, logins: logins, logger: logger, to: intake.destination())
        try await server.start()
        receiver.listens(server)
        return FTPPushSession(intake, receiver, server, logger: logger, ledger: ledger)
    }

    /// Brings what earlier runs left to where it belongs.
    private func prepare() async throws(IngestError) {
        let inbox = receiver.place.address
        var known: [String: Set<String>] = [:]
        for one in try [inbox] + (config.inbox.isEmpty ? FTPOrphans.others(beside: inbox) : []) {
            known[one] = try await staying(in: one)
        }
        try receiver.prepare { () throws(IngestError) in
            if context.lookup.service(WritesNothing.self) != nil { return }
            try setApart(inbox, except: known[inbox] ?? [])
            if config.inbox.isEmpty { try takeOver(inbox, except: known) }
        }
    }

    /// The files of an inbox that stay there, by their places: they have their event in the ledger.
    ///
    /// Where the last run there was for the same event as this one, its own may move.
    private func staying(in inbox: String) async throws(IngestError) -> Set<String> {
        let isSame = try FTPInboxEvent.read(inbox) == context.event
        // Nothing of it is set apart.
        if isSame, inbox == receiver.place.address { return [] }
        let files = try await context.lookup.ledger?.known(volume: "ftp:\(inbox)") ?? []
        let staying = files.filter { $0.hasContent && $0.event != nil && !(isSame && $0.event == context.event) }
        return Set(staying.map(\.fingerprint.path))
    }

    /// What was pushed while a run of another event listened, and was not taken by it, is for that event.
    private func setApart(_ inbox: String, except known: Set<String>) throws(IngestError) {
        let count = try FTPOrphans.setApart(inbox, for: context.event, except: known)
        if count > 0 { context.logger.notice("FTP: \(count) files that were pushed for the earlier event go to that.") }
    }

    private func directory() throws(IngestError) -> any FTPLoginDirectory {
        switch config.logins {
        case .listed(let listed):
            var logins: [FTPLogin] = []
            for login in listed {
                let password = try context.lookup.secrets.resolve(login.password)
                if let weakness = PushPassword.weakness(of: password) {
                    context.logger.warning("FTP: the password of `\(login.user)` \(weakness). \(PushPassword.advice)")
                }
                let folder = login.folder.isEmpty ? login.user : login.folder
                logins.append(FTPLogin(user: login.user, password: password, folder: folder))
            }
            return FTPLoginList(logins)
        case .asked(let asking):
            let receiver = receiver
            return AskedLogins(try service(asking)) { event throws(IngestError) in
                try receiver.destination(for: event)
            }
        }
    }

    private func service(_ asking: PushAsking) throws(IngestError) -> any LoginService {
        guard let services = context.lookup.service((any LoginServices).self) else {
            throw IngestError(.misconfigured, "Nobody can be asked for logins here.")
        }
        if asking.http.isEmpty { return services.program(asking.exec.words, timeout: asking.timeout) }
        let token = asking.token.reference == .none ? nil : try context.lookup.secrets.resolve(asking.token)
        return services.web(asking.http, token: token, caFile: asking.caFile, timeout: asking.timeout)
    }

    /// What was pushed to a port that nobody listens on any more was acknowledged, too.
    ///
    /// The pipeline's other ports have their owners, whether or not these have come to open them.
    private func takeOver(_ inbox: String, except known: [String: Set<String>]) throws(IngestError) {
        let count = try FTPOrphans.takeOver(
            into: inbox, except: inboxes.all, for: context.event, known: known
        ) { inboxes.takes(inbox, $0) }
        if count > 0 {
            context.logger.notice("FTP: \(count) files that were pushed to another port before are taken from there.")
        }
    }

    private var options: FTPServerOptions {
        var options = FTPServerOptions()
        (options.host, options.port, options.tls, options.idle) = (address.host, address.port, config.tls, config.idle)
        (options.certificate, options.key) = (config.certificate, config.key)
        options.passive = FTPAddress.ports(config.passive)
        options.passiveAddress = config.passiveAddress.isEmpty ? nil : config.passiveAddress
        options.balancers = config.proxyProtocol?.ranges ?? []
        return options
    }
}

/// `host:port`, with brackets around an IPv6 address.
struct FTPAddress: Sendable, Hashable, CustomStringConvertible {
    var host: String, port: Int

    var description: String { host.utf8.contains(0x3A) ? "[\(host)]:\(port)" : "\(host):\(port)" }

    init(host: String, port: Int) { (self.host, self.port) = (host, port) }

    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = String(text[..<colon])
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if isBracketed { host = String(host.dropFirst().dropLast()) }
        guard !host.isEmpty, host.utf8.contains(0x3A) == isBracketed else { return nil }
        (self.host, self.port) = (host, Int(port))
    }

    /// `50000-50099`; nil when that is no range.
    static func ports(_ text: String) -> ClosedRange<Int>? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { UInt16($0) }
        guard ends.count == 2, let low = ends[0], let high = ends[1], low >= 1024, low <= high else { return nil }
        return Int(low)...Int(high)
    }
}
