public import FilmgateCore
import HTTPKit

/// `framefast`: uploads to an event at FrameFast: an address is asked for, the bytes go there, and the service says
/// what became of them.
public struct FrameFastTarget: Module, UploadTarget {
    public static let manifest = Manifest(
        "framefast", "Uploads to an event at FrameFast and waits until the service has taken each picture in.",
        stability: .beta, needs: [.file, .digest], gives: [.receipt])

    public let traits: TargetTraits
    let options: FrameFastOptions, api: FrameFastAPI, begun: BegunUploads, watch: UploadStatusPoller
    private let agreed = SingleFlight()
    /// One for each file that is on its way; what the service works on needs none.
    private let seats: ByteBudget

    public init(_ config: FrameFastOptions, _ context: ModuleContext) throws(IngestError) {
        let transport = CurlTransport(config.web.transport)
        let provider = try config.web.provider(context, for: [config.url.base])
        options = config
        var quick = config.web.transport
        (quick.lanes, quick.answer, quick.stall) = (1, min(quick.answer, .seconds(10)), min(quick.stall, .seconds(10)))
        quick.bytesPerSecond = nil
        api = FrameFastAPI(
            base: config.url.base, event: config.event.isEmpty ? context.event ?? "" : config.event,
            client: HTTPClient(transport, auth: provider), bare: HTTPClient(transport),
            quick: CurlTransport(quick))
        var traits = config.web.traits(
            "framefast", place: "\(config.url.base)/\(api.event)", provider: provider, context, idempotent: false)
        traits.accepts = traits.accepts ?? [.jpeg, .image, .heif]
        traits.extensions = config.extensions
        traits.maxSize = traits.maxSize ?? config.limit
        traits.maxPixels = 25_000_000
        traits.waiting = UploadStatusPoller.most
        seats = ByteBudget(limit: UInt64(max(1, config.web.workers)))
        self.traits = traits
        begun = BegunUploads(state: context.state, name: "framefast", key: traits.identity)
        watch = UploadStatusPoller(api, every: config.poll, patience: config.patience)
    }

    public func check() async throws(IngestError) {
        guard !api.event.isEmpty else {
            throw IngestError(
                .misconfigured, "FrameFast needs an event.", advice: "Set `event`, or give one with --event.")
        }
        try await health()
        if options.profile == .january { try await agreed.once(consent) }
        _ = try await api.ask("GET", "/events/\(Percent.encode(api.event))")
    }

    /// Sends one of a few at a time, and then waits beside up to 50 others until the service has taken it in.
    public func upload(_ job: UploadJob) async throws(IngestError) -> Receipt {
        let (id, existed) = try await onItsWay(job)
        let receipt = try await conclude(job, id, existed: existed)
        begun.end(job.digests.sha256, id)
        return receipt
    }

    /// The service's name for the upload, once it has the bytes.
    private func onItsWay(_ job: UploadJob) async throws(IngestError) -> (id: String, existed: Bool) {
        try await seats.take(1)
        defer { seats.give(1) }
        guard let known = try begun.place(of: job.digests.sha256) else { return try await sent(job, begin(job)) }
        // An earlier try: what became of it decides, and nothing is sent that the service has.
        let status = try await api.status(of: [known])[known]
        switch status?.state {
        // It has the bytes, and they are not sent again where it goes on with them.
        case "failed" where status?.code == Self.noCredits:
            if try await api.takeUpAgain(known) { return (known, true) }
        // What it leaves out of its list it may know all the same: only a plain no lets it be begun anew.
        case "pending", "expired", "failed", nil: break
        default: return (known, true)
        }
        switch try await api.presignAgain(known) {
        case .ticket(let ticket): return try await sent(job, ticket)
        case .goneOn: return (known, true)
        case .unknown: return try await sent(job, begin(job))
        }
    }

    private func sent(_ job: UploadJob, _ ticket: UploadTicket) async throws(IngestError) -> (id: String, existed: Bool)
    {
        try await send(job, ticket, mayRenew: true)
        return (ticket.id, false)
    }

    private func begin(_ job: UploadJob) async throws(IngestError) -> UploadTicket {
        // The older form refuses addresses until consent is given; an import does not check its targets first.
        if options.profile == .january { try await agreed.once(consent) }
        let ticket = try await api.presign(
            job, type: MediaType.of(fileName: job.name), source: options.profile == .current ? "web" : nil)
        try await begun.note(job.digests.sha256, ticket.id)
        return ticket
    }

    /// Sends with exactly the signed headers.
    ///
    /// An address that has run out is asked for again once, after asking whether the bytes arrived all the same.
    private func send(_ job: UploadJob, _ ticket: UploadTicket, mayRenew: Bool) async throws(IngestError) {
        let request = HTTPRequest("PUT", ticket.url, headers: ticket.headers)
        let response = try await api.bare.deliver(HTTPExchange(request, body: .file(job.slice)))
        switch response.status {
        case 200, 201, 204, 412: return  // 412: an earlier try got there.
        case 403 where mayRenew:
            if let state = try await api.status(of: [ticket.id])[ticket.id]?.state, state != "pending",
                state != "expired"
            {
                return
            }
            guard case .ticket(let next) = try await api.presignAgain(ticket.id) else { return }
            try await send(job, next, mayRenew: false)
        default:
            var error = HTTPStatus.error(for: response)
            // The storage's refusal of an address says nothing about our sign-in.
            if error.code == .unauthorized { error.code = .unavailable }
            throw error
        }
    }

    private static let noCredits = "insufficient_credits"

    private func conclude(_ job: UploadJob, _ id: String, existed: Bool) async throws(IngestError) -> Receipt {
        let status = try await watch.outcome(of: id)
        switch status.state {
        case "completed": return receipt(job, id, status, existed: existed)
        case "failed" where status.code == Self.noCredits:
            throw IngestError(
                .storageFull, "FrameFast has no credits left for this account.",
                advice: "Buy credits; then run `filmgate retry`.")
        case "failed":
            throw IngestError(
                .rejected,
                "FrameFast could not use this picture: \(HeaderText.clean(String(status.message.prefix(200)))).")
        case "expired": throw IngestError(.unavailable, "FrameFast let this upload expire; it is begun again.")
        default:
            throw IngestError(
                .unavailable, "FrameFast is still working on this picture; it is asked again later.",
                retryAfter: .seconds(60))
        }
    }

    private func consent() async throws(IngestError) {
        if try await api.ask("GET", "/consent").at("data.isConsented") == .bool(true) { return }
        guard options.acceptConsent else {
            throw IngestError(
                .unauthorized, "FrameFast asks for consent to its data protection terms.",
                advice: "Read them in its dashboard; then set `accept_consent: true`.")
        }
        _ = try await api.ask("POST", "/consent", .object([:]), fine: [409])
    }

    private func receipt(_ job: UploadJob, _ id: String, _ status: UploadStatus, existed: Bool) -> Receipt {
        Receipt(
            state: .done, id: status.photo ?? id, sha256: job.digests.sha256, verified: .none,
            at: WallClock.nanoseconds, existed: existed)
    }
}
