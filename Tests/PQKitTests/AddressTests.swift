import FilmgateCore
import Testing

@testable import PQKit

@Suite struct AddressTests {
    private func address(_ text: String) throws -> PQAddress {
        try PQAddress(node: ConfigNode(.scalar(text, quoted: true)))
    }

    @Test func partsAreRead() throws {
        let far = try address("postgresql://desk3@db1.example,db2.example:5433/filmgate?sslmode=verify-full")
        #expect(far.user == "desk3")
        #expect(far.database == "filmgate")
        #expect(far.hosts == [.init(name: "db1.example", port: 5432), .init(name: "db2.example", port: 5433)])
        #expect(far.place == "db1.example, db2.example")
        let socket = try address("postgres://a%40b@%2Frun%2Fpostgresql:5433/x%2Fy")
        #expect(socket.user == "a@b")
        #expect(socket.hosts == [.init(name: "/run/postgresql", port: 5433)])
        #expect(socket.database == "x/y")
        #expect(try address("postgresql://a@/b").hosts == [.init(name: PQAddress.socketFolder, port: 5432)])
        #expect(try address("postgresql://a@/b?host=/tmp").hosts == [.init(name: "/tmp", port: 5432)])
        #expect(try address("postgresql://a@[::1]:5444/b").hosts == [.init(name: "::1", port: 5444)])
    }

    @Test(arguments: ["localhost", "127.0.0.1", "127.9.9.9", "[::1]", "%2Ftmp", ""]) func thisMachineNeedsNoTLS(
        _ host: String
    ) throws {
        #expect(try address("postgresql://a@\(host)/b").isThisMachine)
    }

    @Test(arguments: [
        ("postgresql://a@db.example/b", "plain-database"),
        ("postgresql://a@db.example/b?sslmode=require", "plain-database"),
        ("postgresql://a@localhost,db.example/b?sslmode=prefer", "plain-database"),
        ("postgresql://a@127.0.0.1.example/b", "plain-database"),
        ("postgresql://a@169.254.1.1/b", "plain-database"), ("postgresql://a@::ffff:127.0.0.1/b", "bad-host"),
        ("postgresql://a@db.example/b?sslmode=verify-full&channel_binding=disable", "weak-binding"),
        ("postgresql://a:secret@localhost/b", "inline-secret"),
        ("postgresql://a@localhost/b?password=x", "inline-secret"), ("postgresql://localhost/b", "missing-user"),
        ("postgresql://a@localhost", "missing-database"),
        ("postgresql://a@localhost/b?sslmode=verify-ful", "unknown-choice"),
        ("postgresql://a@localhost/b?sslmod=x", "unknown-key"),
        ("postgresql://a@localhost/b?options=-c%20x", "unknown-key"), ("postgresql://a@local%0host/b", "bad-address"),
        ("postgresql://a@local%00host/b", "bad-address"), ("http://a@localhost/b", "bad-address"), ("", "bad-address"),
        ("postgresql://a@h:0/b", "bad-host"), ("postgresql://a@h:99999/b", "bad-host"),
        ("postgresql://a@h,,i/b", "bad-host"),
    ])
    func mistakesAreNamed(_ text: String, _ code: String) throws {
        do {
            _ = try address(text)
            Issue.record("\(text) was taken")
        } catch let error as ConfigError {
            #expect(error.code == code, "\(error.message)")
            #expect(!error.message.contains("secret") || code != "inline-secret" || !error.message.contains(":secret"))
        }
    }

    @Test func anyBytesAreReadOrRefused() {
        var numbers = SeededNumbers(seed: 7)
        let pieces = [
            "postgresql://", "a", "@", ":", "/", "?", "%", "%2F", ",", "[", "]", "&", "=", "sslmode", "verify-full",
            "5432", "é", "host",
        ]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...12, using: &numbers)).map { _ in
                pieces.randomElement(using: &numbers) ?? ""
            }.joined()
            guard let found = try? address("postgresql://" + text) else { continue }
            #expect(!found.hosts.isEmpty)
            #expect(!found.user.isEmpty)
            #expect(found.isThisMachine || found.tls == "verify-full")
        }
    }

    /// Nothing weaker goes to another machine, whatever the environment says.
    @Test func whatGoesFarIsStrict() throws {
        let options = PQOptions(try address("postgresql://a@db.example/b?sslmode=verify-full"))
        let words = Dictionary(uniqueKeysWithValues: try PQKeywords.of(options.address.hosts[0], options))
        #expect(words["sslmode"] == "verify-full")
        #expect(words["channel_binding"] == "require")
        #expect(words["sslrootcert"] == "/etc/ssl/certs/ca-certificates.crt")
        #expect(words["gssencmode"] == "disable")
        #expect(words["passfile"]?.hasPrefix("/nonexistent") == true)
    }

    @Test func aMissingLibraryIsNamed() {
        do {
            _ = try LibPQ("libpq-that-is-not-there.so.5")
            Issue.record("It was loaded.")
        } catch {
            #expect(error.code == .misconfigured)
            #expect(error.advice == "Install it: `apt install libpq5`.")
        }
    }
}
