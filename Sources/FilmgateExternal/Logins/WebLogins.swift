public import FilmgateCore
import HTTPKit

/// Posts each login to an address.
///
/// Only a 200 with an answer is one: a service that does not let this program in has said nothing about cameras.
struct WebLogins: LoginService {
    let url: String, token: SecretValue?, timeout: Duration
    private let transport: any HTTPTransport

    init(_ url: String, token: SecretValue?, caFile: String?, timeout: Duration, over other: (any HTTPTransport)? = nil)
    {
        (self.url, self.token, self.timeout) = (url, token, timeout)
        var options = TransportOptions()
        (options.lanes, options.connect, options.stall, options.answer) = (
            8, min(timeout, .seconds(10)), timeout, timeout
        )
        options.authorities = caFile
        transport = other ?? CurlTransport(options)
    }

    func answer(_ question: LoginQuestion) async throws(IngestError) -> LoginAnswer {
        var request = HTTPRequest("POST", url)
        request.set("Accept", "application/json")
        if let token { request.set("Authorization", "Bearer " + token.reveal()) }
        var exchange = HTTPExchange(request, body: .bytes(question.body, type: "application/json"))
        exchange.reception = .collect(64 << 10)
        let place = WebAddress(url)?.origin ?? "the service for logins"
        let response = try await send(exchange, to: place)
        // Its words are not repeated: they may hold what it was told.
        guard response.status == 200 else {
            throw IngestError(.unavailable, "\(place) answered \(response.status), which says nothing of the login.")
        }
        do throws(IngestError) {
            return try LoginAnswer(response.truncated ? [] : response.body, at: Notice.now)
        } catch { throw IngestError(.unavailable, "\(place): \(error.message).") }
    }

    /// The time counts from here: whoever waits for an answer does so also while others are asked about.
    private func send(_ exchange: HTTPExchange, to place: String) async throws(IngestError) -> HTTPResponse {
        let transport = transport, isLate = StopFlag()
        let sending = Task {
            await Result { () async throws(IngestError) in try await transport.send(exchange) }
        }
        let alarm = Task {
            guard (try? await Task.sleep(for: timeout)) != nil else { return }
            isLate.raise()
            sending.cancel()
        }
        let result = await withTaskCancellationHandler {
            await sending.value
        } onCancel: {
            sending.cancel()
        }
        alarm.cancel()
        if case .failure = result, isLate.isRaised {
            throw IngestError(.unavailable, "\(place) did not answer within \(timeout.shown ?? "").")
        }
        return try result.get()
    }
}

/// What asks the studio's own programs and services who may log in.
public struct StudioLogins: LoginServices {
    public init() {}

    public func program(_ words: [String], timeout: Duration) -> any LoginService {
        ProgramLogins(words: words, timeout: timeout)
    }

    public func web(_ url: String, token: SecretValue?, caFile: String?, timeout: Duration) -> any LoginService {
        WebLogins(url, token: token, caFile: caFile, timeout: timeout)
    }
}
