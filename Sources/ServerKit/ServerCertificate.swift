public import FilmgateCore
import Glibc
public import NIOSSL

/// What a server proves itself with, read once from two files.
public struct ServerCertificate: Sendable {
    /// TLS 1.2 at least.
    public let configuration: TLSConfiguration

    /// Both are PEM files; behind the certificate stand those between it and its root.
    ///
    /// `misconfigured` where they cannot be used.
    public init(certificate: String, key: String) throws(IngestError) {
        for path in [certificate, key] where access(path, R_OK) != 0 {
            throw IngestError(
                .misconfigured, "`\(path)` cannot be read: \(String(cString: strerror(errno))).", advice: Self.advice)
        }
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(certificate).map { NIOSSLCertificateSource.certificate($0) }
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain, privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
            configuration.minimumTLSVersion = .tlsv12
            // A pair that does not fit is told now, not to the first who connects.
            _ = try NIOSSLContext(configuration: configuration)
            self.configuration = configuration
        } catch {
            throw IngestError(
                .misconfigured, "The certificate `\(certificate)` or its key `\(key)` cannot be used: \(error).",
                advice: Self.advice, cause: error)
        }
    }

    private static let advice =
        "openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj /CN=filmgate -keyout key.pem -out cert.pem makes a pair."

    package func context() throws(IngestError) -> NIOSSLContext {
        do { return try NIOSSLContext(configuration: configuration) } catch {
            throw IngestError(.misconfigured, "TLS cannot be used: \(error).", cause: error)
        }
    }
}
