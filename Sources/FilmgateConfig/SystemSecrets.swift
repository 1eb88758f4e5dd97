public import FilmgateCore
import Glibc

/// Looks up secrets where the pipeline file says: in the environment, in a private file, among systemd's credentials.
///
/// Values never appear in an error. Each call reads anew, so a rotated file is seen; may block for a small file.
public struct SystemSecrets: SecretResolver {
    /// Bytes of one secret.
    public static let maxBytes = 64 << 10
    let environment: @Sendable (String) -> String?

    /// Asks the process environment.
    public init() { self.init { name in getenv(name).map { String(cString: $0) } } }

    /// `environment` answers for `${env:…}`, `$HOME` and `$CREDENTIALS_DIRECTORY`.
    public init(environment: @escaping @Sendable (String) -> String?) { self.environment = environment }

    public func resolve(_ secret: Secret) throws(IngestError) -> SecretValue {
        let shown = secret.shown ?? "none"
        switch secret.reference {
        case .none:
            throw IngestError(
                .misconfigured, "No secret is given.",
                advice: "Write ${env:NAME}, ${file:/run/secrets/name} or ${credential:NAME}.")
        case .environment(let name): return try fromEnvironment(name, shown)
        case .file(let path):
            return try SecretFile(path: expanded(path, shown), shown: shown, trusted: trustedDirectories).value()
        case .credential(let name): return try fromCredentials(name, shown)
        case .store, .command: throw IngestError(.misconfigured, "The secret \(shown) cannot be looked up here.")
        }
    }

    private func fromEnvironment(_ name: String, _ shown: String) throws(IngestError) -> SecretValue {
        guard let value = environment(name) else {
            throw IngestError(
                .misconfigured, "The secret \(shown) is not set.", advice: "Set the environment variable \(name).")
        }
        guard value.utf8.count <= Self.maxBytes else {
            throw IngestError(.misconfigured, "The secret \(shown) is longer than \(Self.maxBytes >> 10) KiB.")
        }
        return try SecretFile.stripped(value, shown)
    }

    private func fromCredentials(_ name: String, _ shown: String) throws(IngestError) -> SecretValue {
        guard let directory = environment("CREDENTIALS_DIRECTORY"), directory.hasPrefix("/") else {
            throw IngestError(
                .misconfigured, "The secret \(shown) cannot be read: there is no credentials directory.",
                advice:
                    "Start filmgate from a systemd unit with LoadCredential=\(name):… , or use ${env:…} or ${file:…}.")
        }
        guard name != ".", name != ".." else {
            throw IngestError(.misconfigured, "The secret \(shown) is not a credential's name.")
        }
        return try SecretFile(path: directory + "/" + name, shown: shown, trusted: trustedDirectories).value()
    }

    /// Directories that only the service manager fills: their files may be readable by a group.
    private var trustedDirectories: [String] {
        ["/run/secrets"]
            + [environment("CREDENTIALS_DIRECTORY")].compactMap { $0 }.filter { $0.hasPrefix("/") && $0 != "/" }
    }

    private func expanded(_ path: String, _ shown: String) throws(IngestError) -> String {
        guard path.hasPrefix("~/") else { return path }
        guard let home = environment("HOME"), home.hasPrefix("/") else {
            throw IngestError(
                .misconfigured, "The secret \(shown) cannot be read: HOME is not set.", advice: "Write the whole path.")
        }
        return home + path.dropFirst(1)
    }
}
