import CryptographyKit
import FilmgateCore
import HTTPKit

/// Posts notices to an address, signed and again until they are taken.
struct WebhookSender: HookSender {
    let hook: Webhook
    private let transport: any HTTPTransport
    private let secrets: any SecretResolver
    /// Pause before the second try; each later one is twice as long.
    private let pause: Duration

    init(
        _ hook: Webhook, _ secrets: any SecretResolver, over transport: (any HTTPTransport)? = nil,
        pause: Duration = .seconds(1)
    ) {
        (self.hook, self.secrets, self.pause) = (hook, secrets, pause)
        var options = TransportOptions()
        (options.lanes, options.connect, options.stall, options.answer) = (
            1, min(hook.timeout, .seconds(10)), hook.timeout, hook.timeout
        )
        options.authorities = hook.caFile
        self.transport = transport ?? CurlTransport(options)
    }

    var name: String { WebAddress(hook.url)?.origin ?? "webhook" }

    func deliver(_ notice: Notice) async throws(IngestError) {
        var tried = 0
        while true {
            let failure: IngestError
            do throws(IngestError) { return try await post(notice) } catch { failure = error }
            tried += 1
            guard tried < hook.tries, failure.code.disposition == .retry else { throw failure }
            let wait = max(pause * (1 << min(tried - 1, 6)), failure.retryAfter ?? .zero)
            let slept: Void? = try? await Task.sleep(for: wait * Double.random(in: 0.75...1.25))
            guard slept != nil else { throw failure }
        }
    }

    private func post(_ notice: Notice) async throws(IngestError) {
        var request = HTTPRequest("POST", hook.url)
        request.set("Filmgate-Delivery", notice.id)
        request.set("Filmgate-Notice", notice.moment.rawValue)
        let time = String(Notice.now)
        request.set("Filmgate-Timestamp", time)
        if hook.secret.reference != .none {
            let secret = try await secrets.value(of: hook.secret)
            request.set("Filmgate-Signature", Self.signature(of: notice.body, at: time, secret))
        }
        let response = try await transport.send(
            HTTPExchange(request, body: .bytes(notice.body, type: "application/json")))
        guard (200..<300).contains(response.status) else { throw HTTPStatus.error(for: response) }
    }

    /// `v1=` and the HMAC-SHA256 of time, a full stop and the body, in hexadecimal: the time is part of it, so that a
    /// copy kept by somebody can be told by its age.
    static func signature(of body: [UInt8], at time: String, _ secret: SecretValue) -> String {
        "v1=" + Hex.text(of: MessageCode.hmacSHA256(Array("\(time).".utf8) + body, key: Array(secret.reveal().utf8)))
    }
}
