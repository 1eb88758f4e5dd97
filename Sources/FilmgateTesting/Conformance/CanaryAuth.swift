public import FilmgateCore
import Synchronization

/// A bearer sign-in over a secret that tests can replace while requests are under way; remembers where it was asked to
/// sign for.
public final class CanaryAuth: AuthProvider {
    private struct State { var current: String?, bound: [String] = [], renewals = 0 }
    public let secrets: CanarySecrets
    private let state = Mutex(State())

    public init(_ secrets: CanarySecrets) { self.secrets = secrets }

    public var bound: [String] { state.withLock { $0.bound } }
    public var renewals: Int { state.withLock { $0.renewals } }

    public func bind(to address: String) throws(IngestError) { state.withLock { $0.bound.append(address) } }

    public func sign(_ request: HTTPRequest) async throws(IngestError) -> HTTPRequest {
        let token = state.withLock { state in
            state.current = state.current ?? secrets.value
            return state.current
        }
        var signed = request
        signed.set("Authorization", "Bearer \(token ?? "")")
        return signed
    }

    public func renew(after rejection: Rejection) async throws(IngestError) -> Bool {
        state.withLock { state in
            state.renewals += 1
            state.current = secrets.value
            return rejection.request?[header: "Authorization"] != "Bearer \(state.current ?? "")"
        }
    }
}
