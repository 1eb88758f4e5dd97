public import FilmgateCore
import Synchronization

/// A secret that stays the same until somebody changes it: looked up at its first use, and again after a refusal.
public final class StaticCredential: Sendable {
    private let secret: Secret
    private let secrets: any SecretResolver
    private let cached = Mutex<SecretValue?>(nil)

    public init(_ secret: Secret, _ secrets: any SecretResolver) { (self.secret, self.secrets) = (secret, secrets) }

    /// The value.
    ///
    /// `unauthorized`, which holds the target and loses nothing, when it is missing or no header could carry it.
    public func value() async throws(IngestError) -> SecretValue {
        if let value = cached.withLock({ $0 }) { return value }
        let value = try await resolved()
        cached.withLock { $0 = value }
        return value
    }

    /// Looks it up again, for when it was refused: somebody may have replaced the file.
    ///
    /// Nil when it cannot be read now.
    public func refreshed() async -> SecretValue? {
        guard let fresh = try? await resolved() else { return nil }
        cached.withLock { $0 = fresh }
        return fresh
    }

    private func resolved() async throws(IngestError) -> SecretValue {
        let value: SecretValue
        do throws(IngestError) { value = try await secrets.value(of: secret) } catch {
            // A store that is locked says so itself.
            throw error.code == .unauthorized
                ? error : IngestError(.unauthorized, error.message, advice: error.advice, cause: error)
        }
        guard value.reveal().utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw IngestError(
                .unauthorized, "The secret \(secret.shown ?? "") holds characters that no header may have.")
        }
        return value
    }
}
