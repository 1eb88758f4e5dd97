import ClusterTesting
import FilmgateCore
import Foundation
import Testing

@testable import PQKit

/// Certificates and passwords against a server that asks for them.
@Suite(.enabled(if: Cluster.isInstalled), .timeLimit(.minutes(6))) struct SecurityTests {
    /// TLS with a certificate for 127.0.0.1, and SCRAM for the role `desk3`.
    private static let strict = Task {
        try await Cluster.aside {
            let cluster = try Self.cluster(certifiedFor: "127.0.0.1")
            try cluster.sql("CREATE ROLE desk3 LOGIN PASSWORD 'right'")
            return cluster
        }
    }

    private static func cluster(
        certifiedFor name: String, days: Int = 2, rules: String = "hostssl all all 127.0.0.1/32 scram-sha-256"
    ) throws -> Cluster {
        try Cluster(settings: ["ssl": "on", "password_encryption": "scram-sha-256"]) { cluster in
            try Cluster.certificate(for: name, in: cluster.folder, days: days)
            let text =
                "ssl_cert_file = '\(cluster.folder)/server.crt'\nssl_key_file = '\(cluster.folder)/server.key'\n"
                + "ssl_ca_file = '\(cluster.folder)/authority.crt'\n"
            try append(text, to: cluster.data + "/postgresql.conf")
            try "local all all trust\n\(rules)\n".write(
                toFile: cluster.data + "/pg_hba.conf", atomically: false, encoding: .utf8)
        }
    }

    private static func append(_ text: String, to path: String) throws {
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }

    private func connection(
        _ cluster: Cluster, _ password: String?, root: String? = nil,
        _ mode: String = "sslmode=verify-full&channel_binding=require"
    ) throws -> PQConnection {
        var options = try PQOptions(cluster.address("desk3", overSocket: false, mode))
        options.root = root ?? cluster.folder + "/authority.crt"
        options.password = { () throws(IngestError) in password.map { SecretValue($0) } }
        return PQConnection(options)
    }

    @Test func aProvenServerAndTheRightPasswordWork() async throws {
        let server = try await connection(Self.strict.value, "right").server()
        #expect(server.protection.hasPrefix("TLSv1.3"))
    }

    /// The server proves the name that was asked for, whichever of its addresses it is met at.
    @Test(arguments: ["db.example", "other.example"]) func aNameIsProvenAtItsAddress(_ certified: String) async throws {
        let cluster = try await Cluster.aside {
            let cluster = try Self.cluster(certifiedFor: certified)
            try cluster.sql("CREATE ROLE desk3 LOGIN PASSWORD 'right'")
            return cluster
        }
        let mode = "sslmode=verify-full&channel_binding=require"
        let address = cluster.address("desk3", overSocket: false, mode)
        var options = try PQOptions(address.replacing("127.0.0.1", with: "db.example"))
        (options.root, options.connect) = (cluster.folder + "/authority.crt", .seconds(20))
        options.password = { () throws(IngestError) in SecretValue("right") }
        // Nobody listens at the first one.
        options.lookups = NameLookups { $0 == "db.example" ? .addresses(["127.0.0.9", "127.0.0.1"]) : .failure("?") }
        let connection = PQConnection(options)
        if certified == "db.example" {
            #expect(try await connection.server().protection.hasPrefix("TLSv1.3"))
        } else {
            await expect(.untrusted) { try await connection.server() }
        }
    }

    /// A name may have an address where a machine takes connections and says nothing: the others are not given up for it.
    @Test func aSilentAddressTakesNoTimeOfTheOthers() async throws {
        let cluster = try await Cluster.aside {
            let cluster = try Self.cluster(certifiedFor: "db.example")
            try cluster.sql("CREATE ROLE desk3 LOGIN PASSWORD 'right'")
            return cluster
        }
        let silent = try SilentServer(at: "127.0.0.9", port: UInt16(cluster.port))
        let address = cluster.address("desk3", overSocket: false, "sslmode=verify-full&channel_binding=require")
        var options = try PQOptions(address.replacing("127.0.0.1", with: "db.example"))
        options.root = cluster.folder + "/authority.crt"
        options.password = { () throws(IngestError) in SecretValue("right") }
        options.lookups = NameLookups { _ in .addresses(["127.0.0.9", "127.0.0.1"]) }
        var protection: String?
        // A slow machine is given more and more time.
        for seconds in [1, 2, 4, 8, 16, 32, 64] where protection == nil {
            options.connect = .seconds(seconds)
            protection = try? await PQConnection(options).server().protection
        }
        #expect(protection?.hasPrefix("TLSv1.3") == true)
        withExtendedLifetime(silent) {}
    }

    @Test func aWrongPasswordIsNotAskedTwice() async throws {
        let wrong = try await connection(Self.strict.value, "wrong")
        let error = await expect(.unauthorized) { try await wrong.server() }
        #expect(error?.message.contains("password authentication failed") == true)
        #expect((error?.cause as? PQRefusal)?.state == "28P01")
        #expect(error?.message.contains("wrong") == false)
        let none = try await connection(Self.strict.value, nil)
        await expect(.unauthorized) { try await none.server() }
    }

    @Test func anUnreadableSecretSaysSo() async throws {
        var options = try await PQOptions(Self.strict.value.address("desk3", overSocket: false))
        options.password = { () throws(IngestError) in throw IngestError(.misconfigured, "The variable X is not set.") }
        let connection = PQConnection(options)
        #expect(await expect(.misconfigured) { try await connection.server() }?.message == "The variable X is not set.")
    }

    @Test func anotherAuthorityIsNotBelieved() async throws {
        let other = NSTemporaryDirectory() + "filmgate-authority-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: other) }
        try Cluster.certificate(for: "127.0.0.1", in: other)
        let wrong = try await connection(Self.strict.value, "right", root: other + "/authority.crt")
        await expect(.untrusted) { try await wrong.server() }
        let system = try await connection(Self.strict.value, "right", root: "/etc/ssl/certs/ca-certificates.crt")
        await expect(.untrusted) { try await system.server() }
        let absent = try await connection(Self.strict.value, "right", root: other + "/absent.crt")
        await expect(.untrusted) { try await absent.server() }
    }

    @Test func anotherNameIsNotBelieved() async throws {
        let cluster = try await Cluster.aside { try Self.cluster(certifiedFor: "db.example") }
        await expect(.untrusted) { try await connection(cluster, "right").server() }
    }

    @Test func anExpiredCertificateIsNotBelieved() async throws {
        let cluster = try await Cluster.aside { try Self.cluster(certifiedFor: "127.0.0.1", days: 0) }
        await expect(.untrusted) { try await connection(cluster, "right").server() }
    }

    @Test func aServerWithoutTLSIsNotBelieved() async throws {
        let plain = try await SharedCluster.get()
        var options = try PQOptions(plain.address(overSocket: false, "sslmode=verify-full"))
        options.root = try await Self.strict.value.folder + "/authority.crt"
        let connection = PQConnection(options)
        await expect(.untrusted) { try await connection.server() }
    }

    /// A server that takes the password in clear text, or takes none, is not bound to its certificate.
    @Test(arguments: ["password", "trust"]) func aWeakerWayOfSigningInIsRefused(_ method: String) async throws {
        let cluster = try await Cluster.aside {
            try Self.cluster(certifiedFor: "127.0.0.1", rules: "hostssl all all 127.0.0.1/32 \(method)")
        }
        try cluster.sql("CREATE ROLE desk3 LOGIN PASSWORD 'right'")
        await expect(.untrusted) { try await connection(cluster, "right").server() }
    }

    // MARK: Clients' certificates

    /// Roles sign in with a certificate that names them, and in no other way.
    private static let certified = Task {
        try await Cluster.aside {
            let cluster = try Self.cluster(certifiedFor: "127.0.0.1", rules: "hostssl all all 127.0.0.1/32 cert")
            try cluster.sql("CREATE ROLE desk3 LOGIN; CREATE ROLE desk4 LOGIN")
            for role in ["desk3", "desk4"] { try Cluster.certificate(ofRole: role, in: cluster.folder) }
            return cluster
        }
    }

    private func certified(_ cluster: Cluster, as role: String?, in folder: String? = nil) throws -> PQConnection {
        var options = try PQOptions(cluster.address("desk3", overSocket: false, "sslmode=verify-full"))
        options.root = cluster.folder + "/authority.crt"
        options.certificate = role.map { "\(folder ?? cluster.folder)/\($0).crt" }
        options.key = role.map { "\(folder ?? cluster.folder)/\($0).key" }
        return PQConnection(options)
    }

    @Test func aClientsCertificateSignsIn() async throws {
        let connection = try await certified(Self.certified.value, as: "desk3")
        #expect(try await connection.server().protection.hasPrefix("TLSv1.3"))
        let names = try await connection.rows("SELECT current_user::text") { row throws(IngestError) in try row.text(0)
        }
        #expect(names == ["desk3"])
    }

    @Test func anotherRolesCertificateIsRefused() async throws {
        let connection = try await certified(Self.certified.value, as: "desk4")
        let error = await expect(.unauthorized) { try await connection.server() }
        #expect((error?.cause as? PQRefusal)?.state.hasPrefix("28") == true)
    }

    @Test func whoHasNoCertificateIsRefused() async throws {
        let connection = try await certified(Self.certified.value, as: nil)
        let error = await expect(.unauthorized) { try await connection.server() }
        #expect(error?.advice?.contains("certificate") == true)
    }

    /// It is the server that does not believe, and not the server that is not believed.
    @Test func aCertificateByAnotherAuthorityIsRefused() async throws {
        let other = NSTemporaryDirectory() + "filmgate-authority-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: other) }
        try Cluster.certificate(for: "127.0.0.1", in: other)
        try Cluster.certificate(ofRole: "desk3", in: other)
        let connection = try await certified(Self.certified.value, as: "desk3", in: other)
        let error = await expect(.unauthorized) { try await connection.server() }
        #expect(error?.message.contains("does not accept this certificate") == true)
    }
}
