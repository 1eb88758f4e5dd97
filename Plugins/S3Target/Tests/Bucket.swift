import FilmgateCore
import FilmgateTesting
import HTTPKit
import Logging
import Synchronization
import Testing

@testable import S3Target

/// Keys as an `aws` sign-in would give them.
struct TestKeys: AWSKeySource {
    var access = "cam:ingest", secret = "secretkey"

    func keys() async throws(IngestError) -> AWSKeys { AWSKeys(accessKey: access, secretKey: SecretValue(secret)) }
    func sign(_ request: HTTPRequest) async throws(IngestError) -> HTTPRequest { request }
}

/// A new bucket at a real server.
struct Bucket: Sendable {
    let endpoint: String, name: String, port: Int
    var auth: (any AuthProvider)?

    init(port: Int, auth: (any AuthProvider)? = nil) async throws {
        (endpoint, self.auth, self.port) = ("http://127.0.0.1:\(port)", auth, port)
        name = "gallery-" + String(UInt64.random(in: 0 ... .max), radix: 16)
        let made = try await client.ask("PUT", "\(endpoint)/\(name)")
        guard made.status == 200 else { throw S3Failure.error(for: made) }
    }

    private static let shared = Mutex<Task<ServerProcess, any Error>?>(nil)

    /// moto, one for all tests of this process, started when first asked for.
    static func moto() async throws -> Bucket {
        let task = shared.withLock { task in
            let running = task ?? Task { try await ServerProcess("moto") }
            task = running
            return running
        }
        return try await Bucket(port: task.value.port)
    }

    static let hasMoto = ServerProcess.has("moto_server")

    var client: S3Client {
        let signer = S3Signer((auth as? any AWSKeySource) ?? TestKeys(), region: "us-east-1")
        guard let base = WebAddress("\(endpoint)/\(name)/") else { preconditionFailure("\(endpoint) is no address") }
        return S3Client(base: base, http: HTTPClient(CurlTransport(), auth: signer), signer: signer)
    }

    func target(_ edit: (inout S3Options) -> Void = { _ in }) throws -> S3Target {
        try Self.target(endpoint + "/" + name, auth, edit)
    }

    /// `address`: endpoint and bucket.
    static func target(
        _ address: String, _ auth: (any AuthProvider)?, logger: Logger = Logger(label: "test"),
        _ edit: (inout S3Options) -> Void = { _ in }
    ) throws -> S3Target {
        var options = S3Options()
        let parts = address.split(separator: "/", omittingEmptySubsequences: false)
        (options.endpoint, options.bucket) = (
            parts[..<3].joined(separator: "/"), parts.count > 3 ? String(parts[3]) : "gallery"
        )
        options.key = Template("{name}")
        if auth != nil { options.web.auth = try AuthReference(node: ConfigNode(.scalar("keys", quoted: true))) }
        edit(&options)
        let lookup = Lookup(auth: auth.map { ["keys": $0] } ?? [:])
        return try S3Target(
            options, ModuleContext(name: "bucket", logger: logger, state: Temporary.folder, lookup: lookup))
    }

    /// How many objects hold these bytes.
    func copies(_ sha256: String) async throws -> Int {
        var count = 0
        for name in try await client.names(in: "") ?? [] {
            var exchange = HTTPExchange(HTTPRequest("GET", client.url(name)))
            exchange.reception = .digest(upTo: 1 << 40)
            if try await client.http.send(exchange).digest == sha256 { count += 1 }
        }
        return count
    }
}
