public import FilmgateCore
import Synchronization

/// Answers every reference with one secret that can be changed, and that nothing may ever show.
public final class CanarySecrets: SecretResolver {
    private let stored: Mutex<String?>
    private let asked = Mutex(0)
    private let missing: IngestError.Code

    /// `missing`: how it is told that there is none, as a helper program or a file would.
    public init(_ value: String? = "canary-7f3a9c51e2d84b60", missing: IngestError.Code = .misconfigured) {
        stored = Mutex(value)
        self.missing = missing
    }

    /// Nil: the secret is missing.
    public var value: String? {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }

    public var lookups: Int { asked.withLock { $0 } }

    public func resolve(_ secret: Secret) throws(IngestError) -> SecretValue {
        asked.withLock { $0 += 1 }
        guard let value else { throw IngestError(missing, "The secret \(secret.shown ?? "") is missing.") }
        return SecretValue(value)
    }

    /// Throws when `text` holds the secret, bare, percent-encoded or in Base64.
    public func expectAbsent(from text: String, _ place: String) throws(CheckFailure) {
        guard let value else { return }
        let forms = [value, Self.base64(value), Self.base64("x:" + value)]
        try expect(!forms.contains { text.contains($0.prefix(16)) }, "\(place) shows the secret: \(text)")
    }

    private static func base64(_ text: String) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var result = "", bits = 0, count = 0
        for byte in text.utf8 {
            (bits, count) = (bits << 8 | Int(byte), count + 8)
            while count >= 6 {
                count -= 6
                result.append(letters[bits >> count & 63])
            }
            bits &= 0xFF
        }
        return result
    }
}
