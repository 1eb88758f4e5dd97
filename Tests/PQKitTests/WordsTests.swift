import FilmgateCore
import Testing

@testable import PQKit

/// libpq's messages as people are told them: one sentence.
@Suite struct WordsTests {
    private static let refused = """
        connection to server at "localhost" (::1), port 9 failed: Connection refused
        \tIs the server running on that host and accepting TCP/IP connections?
        connection to server at "localhost" (127.0.0.1), port 9 failed: Connection refused
        \tIs the server running on that host and accepting TCP/IP connections?

        """

    @Test(
        arguments: [
            (Self.refused, .unavailable, "db1: connection refused."),
            (
                """
                connection to server at "db1" (2001:db8::1), port 5432 failed: Network is unreachable
                connection to server at "db1" (192.0.2.1), port 5432 failed: Connection timed out
                """, .unavailable, "db1: network is unreachable; connection timed out."
            ),
            (
                """
                connection to server on socket "/tmp/x/.s.PGSQL.5432" failed: No such file or directory
                \tIs the server running locally and accepting connections on that socket?
                """, .unavailable, "db1: no server listens there."
            ),
            (
                """
                connection to server at "db1" (192.0.2.1), port 5432 failed: root certificate file \
                "/x.pem" does not exist
                Either provide the file or change sslmode to disable server certificate verification.
                """, .untrusted,
                "db1 cannot be proven to be the server: root certificate file \"/x.pem\" does not exist."
            ),
            (
                "connection to server at \"db1\" (192.0.2.1), port 5432 failed: SSL error: certificate verify failed\n",
                .untrusted, "db1 cannot be proven to be the server: SSL error: certificate verify failed."
            ),
            (
                """
                connection to server at "db1", port 5432 failed: FATAL:  28P01: \
                password authentication failed for user "a"
                LOCATION:  auth_failed, auth.c:341
                """, .unauthorized, "db1: password authentication failed for user \"a\"."
            ),
            (
                """
                server closed the connection unexpectedly
                \tThis probably means the server terminated abnormally
                \tbefore or while processing the request.
                """, .unavailable, "db1: server closed the connection unexpectedly."
            ),
            (
                "could not translate host name \"db1\" to address: Name or service not known\n", .unavailable,
                "db1: could not translate host name \"db1\" to address: Name or service not known."
            ),
        ] as [(String, IngestError.Code, String)])
    func itIsOneSentence(_ words: String, _ code: IngestError.Code, _ told: String) {
        let error = PQFailure(connecting: words, at: "db1").error
        #expect(error.message == told && error.code == code)
    }

    /// libpq goes on to a name's next address after a server that is starting, and says what each of them said.
    @Test(
        arguments: [
            (["FATAL:  57P03: the database system is starting up"], .unavailable, "57P03"),
            (
                [
                    "FATAL:  57P03: the database system is starting up",
                    "FATAL:  28P01: password authentication failed for user \"a\"",
                ], .unauthorized, "28P01"
            ),
            (
                [
                    "FATAL:  3D000: database \"b\" does not exist",
                    "FATAL:  57P03: the database system is shutting down",
                ], .misconfigured, "3D000"
            ),
            (
                ["FATAL:  57P03: the database system is starting up", "SSL error: certificate verify failed"],
                .untrusted, nil
            ),
            (
                // What a server says of certificates proves nothing against it.
                ["Connection refused", "FATAL:  28000: no certificate for SSL of user \"a\""], .unauthorized, "28000"
            ),
        ] as [([String], IngestError.Code, String?)])
    func ofSeveralAddressesTheOneThatCanBeMendedIsTold(_ said: [String], _ code: IngestError.Code, _ state: String?) {
        let lines = said.enumerated().map { number, words in
            "connection to server at \"db1\" (192.0.2.\(number + 1)), port 5432 failed: \(words)\n"
                + (words.hasPrefix("FATAL") ? "LOCATION:  SSL_auth, auth.c:341\n" : "")
        }
        let error = PQFailure(connecting: lines.joined(), at: "db1").error
        #expect(error.code == code && (error.cause as? PQRefusal)?.state == state, "\(error)")
    }

    @Test func whatSeveralServersSayIsOneSentence() async throws {
        let port = 9, options = try PQOptions("postgresql://a@127.0.0.1:\(port),127.0.0.2:\(port)/b")
        do {
            _ = try await PQConnection(options).server()
            Issue.record("Somebody listens at port \(port).")
        } catch {
            #expect(error.message == "127.0.0.1:\(port): connection refused; 127.0.0.2:\(port): connection refused.")
            #expect(error.advice?.hasPrefix("Nothing listens there: is the server running?") == true)
        }
    }

    /// Where nobody answers, what can be done about it; where somebody does, what that one says.
    @Test(
        arguments: [
            ("db1: connection refused.", "Nothing listens there"),
            ("/run/postgresql: no server listens there.", "Nothing listens there"),
            ("db1, db2: timed out.", "Nothing answers there"),
            ("db1: network is unreachable; connection timed out.", "Nothing answers there"),
            ("db1: no route to host.", "Nothing answers there"),
            ("db1: could not translate host name \"db1\" to address: Name or service not known.", "Nobody here knows"),
            ("db1: server closed the connection unexpectedly.", nil),
            ("db1 is an old primary (timeline 3, we have seen 4): not used.", nil),
        ] as [(String, String?)])
    func whereNobodyAnswersThereIsAdvice(_ told: String, _ advice: String?) {
        #expect(PQWords.advice(on: told)?.prefix(advice?.count ?? 0) == advice.map { Substring($0) })
    }

    /// To another machine, without `sslmode` and with one that proves nothing.
    @Test(arguments: [
        ("", "db1 is another machine, and without `sslmode` nobody proves who answers there."),
        ("?sslmode=require", "db1 is another machine, and `sslmode=require` does not prove who answers there."),
    ])
    func anAddressThatProvesNothingIsToldSo(_ more: String, _ told: String) {
        do {
            _ = try PQAddress(node: ConfigNode(.scalar("postgresql://a@db1/b\(more)", quoted: true)))
            Issue.record("It was taken.")
        } catch { #expect(error.message == told && error.code == "plain-database") }
    }
}
