public import FilmgateCore
import HTTPKit

extension FrameFastTarget: HealthTarget {
    /// `GET /health`: `{"status":"ok"}` from a service that is well; one that has no such address does not say.
    public func health() async throws(IngestError) {
        let response: HTTPResponse
        do throws(IngestError) { response = try await api.health() } catch {
            // It wants to know who asks: that says nothing of how it is.
            if error.code == .unauthorized { return }
            throw error
        }
        switch response.status {
        case 200..<300 where !response.isPage:
            guard let word = response.json?["status"]?.text, word.lowercased() != "ok" else { return }
            throw IngestError(
                .unavailable, "FrameFast says that it is not well: \(HeaderText.clean(String(word.prefix(80)))).",
                retryAfter: RetryAfter.of(response))
        case 403, 404, 405, 501: return
        default: throw HTTPStatus.error(for: response)
        }
    }
}

extension FrameFastTarget: PutOffTarget {
    public func takeUpAgain() async throws(IngestError) -> Int {
        api.event.isEmpty ? 0 : try await api.takeUpAllAgain()
    }
}

extension FrameFastTarget: CreditHolder {
    /// Those of the account, whatever the event.
    public func credits() async throws(IngestError) -> CreditBalance? {
        let answer = try await api.dashboard()
        guard case .integer(let balance)? = answer.at("data.credits.balance") else { return nil }
        let expiry = answer.at("data.credits.nearestExpiry")?.text.map { HeaderText.clean(String($0.prefix(40))) }
        return CreditBalance(balance: Int(clamping: balance), nearestExpiry: expiry)
    }
}
