import CryptographyKit
import FileKit
public import FilmgateCore
public import ServerKit

/// The page's own certificate, made once and kept in the state directory: nobody vouches for it, so people compare its
/// fingerprint.
public struct OwnCertificate: Sendable {
    public let certificate: ServerCertificate
    /// SHA-256, as browsers show it.
    public let fingerprint: String

    /// Days: browsers take none that counts for longer.
    private static let life = 397, renewed = 30

    /// `names`: further names under which browsers ask, with or without a port.
    public init(state: String, names: [String]) throws(IngestError) {
        let folder = state + "/studio", path = folder + "/certificate.pem"
        try DurableFile.makeDirectories(folder, mode: 0o700)
        if let known = Self.facts(path), known.daysLeft >= Self.renewed {
            (certificate, fingerprint) = (try ServerCertificate(certificate: path, key: path), known.fingerprint)
            return
        }
        let made = try SelfSignedCertificate(name: "Filmgate Studio", names: Self.subjects(names), days: Self.life)
        // In one file: two that start at the same moment cannot leave a key of one beside the certificate of the other.
        try DurableFile.atomicWrite((made.certificate + made.key).span.bytes, to: path, mode: 0o600)
        guard let facts = Self.facts(path) else {
            throw IngestError(.misconfigured, "`\(path)` cannot be read.", advice: "Remove it: it is made anew.")
        }
        (certificate, fingerprint) = (try ServerCertificate(certificate: path, key: path), facts.fingerprint)
    }

    private static func facts(_ path: String) -> SelfSignedCertificate.Facts? {
        (try? FileSystem.contents(of: path, limit: 64 << 10)).flatMap { SelfSignedCertificate.Facts(pem: $0) }
    }

    /// Everything that this machine is called, as far as it knows.
    private static func subjects(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        let host = MachineName.current ?? ""
        let hosts = host.isEmpty ? [] : host.contains(".") ? [host] : [host, host + ".local"]
        let given = names.map { name in
            name.filter { $0 == ":" }.count == 1 ? String(name.prefix { $0 != ":" }) : name
        }
        let all = ["localhost", "127.0.0.1", "::1"] + hosts + LocalAddress.outer + given
        return all.filter { seen.insert($0).inserted && SelfSignedCertificate.canName($0) }
    }
}
