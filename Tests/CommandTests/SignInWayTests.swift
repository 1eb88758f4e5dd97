import FilmgateTesting
import Foundation
import TestThreads
import Testing

/// Ways to sign in that read from stdin, and how a device code ends, as a user meets them.
@Suite(.ownThreads) struct SignInWayTests {
    let table: Table

    init() throws { table = try Table() }

    func now() -> Int { Int(Date().timeIntervalSince1970) }

    func pipeline(_ auth: String) throws -> String {
        try table.pipeline(to: "https://gallery.example/up/{name}", signedBy: auth)
    }

    /// Runs with `text` as what is piped in.
    func piped(_ text: String, _ arguments: [String]) throws -> (status: Int32, said: String) {
        let input = try table.write("typed", text), shell = Process(), output = Pipe()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments =
            ["-c", "input=$1; shift; \"$0\" \"$@\" < \"$input\" 2>&1", Program.path, input] + arguments + [
                "--state", table.state,
            ]
        shell.standardOutput = output
        try shell.run()
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        shell.waitUntilExit()
        return (shell.terminationStatus, said)
    }

    @Test func anIdentityTokenFromStdin() throws {
        var profile = OIDCDouble.Profile()
        profile.exchanges = "urn:ietf:params:oauth:token-type:id_token"
        let double = try OIDCDouble(profile, clock: { Int(Date().timeIntervalSince1970) }), commands = CommandLines()
        let file = try pipeline("oidc: { issuer: \"\(double.issuer)\", client_id: camera }")
        let token = TestToken.identity(issuer: "https://accounts.google.com", ends: now() + 600)
        let fine = try piped(token + "\n", ["login", "studio", "--identity-token", "-", "--pipeline", file])
        #expect(fine.status == 0 && fine.said.contains("studio: signed in as ann@example.com"), "\(fine.said)")
        #expect(double.grants == ["urn:ietf:params:oauth:grant-type:token-exchange"])
        let again = try piped(token + "\n", ["login", "studio", "--identity-token", "-"])
        #expect(again.status == 4 && again.said.contains("invalid_grant"))
        let nothing = try piped("", ["login", "studio", "--identity-token", "-"])
        #expect(nothing.status == 4 && nothing.said.contains("Nobody answered: Identity token"))
        #expect(try table.run(["whoami", "studio"]).status == 0)
        let seen =
            fine.said + again.said + commands.stop()
            + table.files(table.state).map { String(decoding: $0.value, as: UTF8.self) }.joined()
        #expect(!seen.contains("identity-canary"))
    }

    /// As an argument everybody on the machine could read it: it is refused, and not shown once more.
    @Test func aTokenAsAnArgumentIsRefused() throws {
        let file = try pipeline("mock: {}")
        let outcome = try table.run(["login", "studio", "--pipeline", file, "--identity-token", "eyJhbGciOi.canary.x"])
        #expect(outcome.status == 2 && (outcome.output + outcome.errors).contains("stdin"))
        #expect(!(outcome.output + outcome.errors).contains("canary"))
    }

    @Test(arguments: [
        "mock: {}", "bearer: { token: store }", "framefast: {}",
        "clerk: { publishable_key: pk_test_Y2xlcmsuZXhhbXBsZS5jb20k, client_id: x }",
    ])
    func whoCannotSaysSoBeforeAnybodyIsAsked(_ auth: String) throws {
        let file = try pipeline(auth)
        for way in [["--identity-token", "-"], ["--register"]] {
            let outcome = try piped("secret-canary\n", ["login", "studio", "--pipeline", file] + way)
            #expect(
                outcome.status == 2 && outcome.said.contains("`studio` (") && outcome.said.contains("→"),
                "\(outcome.said)")
        }
        #expect(try piped("x\n", ["login", "studio", "--pipeline", file, "--register", "--device"]).status == 2)
        #expect(
            !table.files(table.state).values.contains { String(decoding: $0, as: UTF8.self).contains("secret-canary") })
    }

    @Test func moreThanOneSignInIsAsked() throws {
        let file = try table.write(
            "two.yaml",
            """
            version: 1
            stages: [ upload: { to: [a] } ]
            targets: { a: { http: { url: "https://gallery.example/{name}", auth: one } } }
            auth: { one: { mock: {} }, two: { mock: {} } }
            """)
        let outcome = try piped("x\n", ["login", file, "--register"])
        #expect(outcome.status == 2 && outcome.said.contains("one, two"), "\(outcome.said)")
    }

    /// Each end of a device code says what to do, with the code for a sign-in that is missing.
    @Test func theEndsOfADeviceCode() throws {
        var profile = OIDCDouble.Profile()
        (profile.interval, profile.pending, profile.denies) = (1, 0, true)
        let double = try OIDCDouble(profile, clock: { Int(Date().timeIntervalSince1970) })
        let file = try pipeline("oidc: { issuer: \"\(double.issuer)\", client_id: camera }")
        func login() throws -> Program.Outcome {
            try Program.run(["login", file, "--device", "--no-browser", "--state", table.state])
        }
        let refused = try login()
        #expect(
            refused.status == 4 && refused.errors.contains("refused in the browser") && refused.errors.contains("  → "),
            "\(refused.errors)"
        )
        double.set { ($0.denies, $0.codeExpires) = (false, true) }
        let late = try login()
        #expect(
            late.status == 4 && late.errors.contains("ran out") && late.errors.contains("`filmgate login` again"),
            "\(late.errors)")
        double.set { ($0.codeExpires, $0.slowDowns) = (false, 1) }
        let slowed = try login()
        #expect(slowed.status == 0 && double.earlyPolls == 0 && double.polls.count == 2, "\(slowed.errors)")
        #expect(zip(double.polls, double.polls.dropFirst()).allSatisfy { $1 - $0 >= 6 })
    }
}
