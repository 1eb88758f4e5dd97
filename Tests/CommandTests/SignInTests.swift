import FilmgateTesting
import Foundation
import TestThreads
import Testing

/// Signing in as a user does it: device code at a provider of our own, typed-in secrets, who is who, and nothing that
/// shows a secret.
@Suite(.ownThreads) struct SignInTests {
    let table: Table

    init() throws { table = try Table() }

    func pipeline(_ auth: String, target: String = "https://gallery.example/up/{name}") throws -> String {
        try table.pipeline(to: target, signedBy: auth)
    }

    /// Everything in the state directory but the store itself.
    var state: String {
        table.files(table.state).filter { $0.key != "secrets.json" }.map {
            $0.key + String(decoding: $0.value, as: UTF8.self)
        }.joined()
    }

    @Test func wherePipelinesHaveNoSignInThatIsSaid() throws {
        let file = try table.write(
            "open.yaml",
            """
            version: 1
            sources: [card: {}]
            stages: [upload: { to: [archive] }]
            targets: { archive: { folder: { path: "\(table.path("archive"))" } } }
            """)
        let outcome = try table.run(["login", file, "gallery"]), error = outcome.items("error").first
        #expect(outcome.status == 2 && error?["message"] as? String == "There is no sign-in `gallery`.")
        #expect(error?["advice"] as? String == "The pipelines have none under `auth:`.")
    }

    @Test func deviceCodeAtAProvider() throws {
        var profile = OIDCDouble.Profile()
        profile.interval = 1
        let double = try OIDCDouble(profile, clock: { Int(Date().timeIntervalSince1970) }), commands = CommandLines()
        let file = try pipeline("oidc: { issuer: \"\(double.issuer)\", client_id: camera }")
        var said: [Program.Outcome] = []
        said.append(try table.run(["whoami", file]))
        #expect(said.last?.status == 4 && said.last?.items("account").first?["state"] as? String == "signedOut")
        said.append(try table.run(["login", file, "--no-browser"]))
        #expect(said.last?.status == 0, "\(said.last?.errors ?? "")")
        let invitation = said.last?.items("invitation").first, rows = invitation?["qr"] as? [String] ?? []
        #expect(invitation?["code"] as? String == "QTZL-MCBW")
        #expect(rows.count >= 21 && rows.allSatisfy { $0.count == rows.count && $0.allSatisfy { "01".contains($0) } })
        said.append(try table.run(["whoami"]))
        let account = said.last?.items("account").first
        #expect(
            said.last?.status == 0 && account?["state"] as? String == "signedIn"
                && account?["origins"] as? [String] == ["https://gallery.example"])
        #expect((account?["account"] as? [String: Any])?["id"] as? String == "auth0|ann")
        said.append(try table.run(["login", "--check"]))
        #expect(said.last?.status == 0)
        double.set { $0.down = true }
        said.append(try table.run(["logout", "studio"]))
        #expect(said.last?.status == 0 && said.last?.errors.contains("could not be told") == true)
        said.append(try table.run(["whoami", "studio"]))
        #expect(said.last?.status == 4)
        let text =
            said.map { $0.output + $0.errors }.joined() + state + commands.stop()
            + String(decoding: table.files(table.state)["secrets.json"] ?? Data(), as: UTF8.self)
        #expect(double.secrets.count >= 4)
        for secret in double.secrets { #expect(!text.contains(secret)) }
    }

    /// A terminal of 80 columns must not break the code that a person types off.
    @Test func theDeviceCodeHasALineOfItsOwn() throws {
        var profile = OIDCDouble.Profile()
        profile.interval = 1
        let double = try OIDCDouble(profile, clock: { Int(Date().timeIntervalSince1970) })
        let file = try pipeline("oidc: { issuer: \"\(double.issuer)\", client_id: camera }")
        let outcome = try Program.run(["login", file, "--no-browser", "--state", table.state])
        #expect(outcome.status == 0)
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.contains("  QTZL-MCBW") && lines.allSatisfy { $0.count <= 80 }, "\(outcome.errors)")
    }

    @Test func aRefusalEndsWithFour() throws {
        var profile = OIDCDouble.Profile()
        (profile.interval, profile.denies) = (1, true)
        let double = try OIDCDouble(profile, clock: { Int(Date().timeIntervalSince1970) })
        let outcome = try table.run([
            "login", try pipeline("oidc: { issuer: \"\(double.issuer)\", client_id: camera }"), "--device",
        ])
        #expect(outcome.status == 4 && outcome.items("error").first?["code"] as? String == "unauthorized")
    }

    @Test func aTypedInSecretIsKeptAndUsed() throws {
        try table.sampleCard()
        let gallery = try Gallery(table)
        let file = try pipeline("bearer: { token: store }", target: gallery.address + "/api/assets")
        #expect(try table.run(["import", "--pipeline", file, "--wait", "10s"]).status == 4)
        let input = try table.write("typed", Gallery.token + "\n"), shell = Process(), output = Pipe()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = [
            "-c", "\"$0\" login studio --state \"$1\" --pipeline \"$2\" < \"$3\"", Program.path, table.state, file,
            input,
        ]
        (shell.standardOutput, shell.standardError) = (output, FileHandle.nullDevice)
        try shell.run()
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 0 && said.contains("studio: stored, not checked"))
        let outcome = try table.run(["import", "--pipeline", file])
        #expect(outcome.status == 0, "\(outcome.output) \(outcome.errors)")
        #expect(!(said + outcome.output + outcome.errors + state).contains(Gallery.token))
        #expect(try table.run(["logout", "studio"]).status == 0)
        #expect(try table.run(["whoami", "studio"]).status == 4)
    }

    /// Its address answers 404 while the provider is set up anew: nobody has to start the import again.
    @Test func aProviderThatHidesForAWhileHoldsNothingUp() throws {
        try table.frames("CARD", count: 2, from: 1)
        var profile = OIDCDouble.Profile()
        (profile.secret, profile.openID, profile.hides) = ("client-canary-secret", false, [404, 404, 404])
        let double = try OIDCDouble(profile, clock: { Int(Date().timeIntervalSince1970) })
        let server = try FaultServer { seen, _ in seen.method == "POST" ? .answer(201) : .answer(404) }
        let machine = "client_id: camera, flow: client_credentials, client_secret: \"${env:CLIENT}\""
        let file = try pipeline("oidc: { issuer: \"\(double.issuer)\", \(machine) }", target: server.url + "/upload")
        let run = try table.run(
            ["import", table.card, "--pipeline", file, "--wait", "30s"], environment: ["CLIENT": "client-canary-secret"]
        )
        #expect(run.status == 0 && run.count("delivered") == 2, "\(run.output) \(run.errors)")
        server.stop()
    }

    /// Names are asked for before anything is sent: a target that cannot be asked ends the import instead of holding it
    /// up for ever.
    @Test func aTargetWithNamesAndNoSignInEndsWithFour() throws {
        try table.sampleCard()
        let file = try pipeline("bearer: { token: store }", target: "http://127.0.0.1:9/up/{name}")
        #expect(try table.run(["import", "--pipeline", file, "--wait", "5s"]).status == 4)
    }

    @Test func aStoreThatOthersCanReadIsRefused() throws {
        let double = try OIDCDouble(clock: { 0 })
        let file = try pipeline("oidc: { issuer: \"\(double.issuer)\", client_id: camera }")
        try table.write("state/secrets.json", #"{"version":1,"entries":{}}"#)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: table.state)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: table.state + "/secrets.json")
        let outcome = try table.run(["whoami", file])
        #expect(outcome.status == 4 && outcome.items("account").first?["state"] as? String == "error")
    }

    @Test func aPassphraseSealsTheStore() throws {
        let file = try pipeline("mock: {}")
        #expect(try table.run(["login", file]).status == 0)
        let bare = String(decoding: table.files(table.state)["secrets.json"] ?? Data(), as: UTF8.self)
        #expect(bare.contains("mock-refresh"))
        let input = try table.write("typed", "correct horse\n"), shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = [
            "-c", "\"$0\" login --protect --state \"$1\" < \"$2\" 2>/dev/null", Program.path, table.state, input,
        ]
        try shell.run()
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 0)
        #expect(
            !String(decoding: table.files(table.state)["secrets.json"] ?? Data(), as: UTF8.self).contains(
                "mock-refresh"))
        let locked = try table.run(["whoami", file])
        #expect(locked.status == 4 && locked.items("account").first?["state"] as? String == "locked")
        let wrong = try table.run(["login", "--check", file], environment: ["FILMGATE_PASSPHRASE": "wrong"]).items(
            "account"
        ).first
        #expect(
            wrong?["state"] as? String == "locked"
                && (wrong?["reason"] as? String)?.contains("passphrase is wrong") == true)
        #expect(try table.run(["whoami", file], environment: ["FILMGATE_PASSPHRASE": "correct horse"]).status == 0)
        #expect(try table.run(["login", "--unprotect"], environment: ["FILMGATE_PASSPHRASE": "wrong"]).status == 4)
        #expect(
            try table.run(["login", "--unprotect"], environment: ["FILMGATE_PASSPHRASE": "correct horse"]).status == 0)
        #expect(try table.run(["whoami", file]).status == 0)
    }

    /// From where it will come later, the passphrase comes at first; and a fixed secret in a locked store is locked,
    /// not missing.
    @Test(arguments: [true, false]) func thePassphraseComesFromItsOwnPlaces(_ byProgram: Bool) throws {
        let file = try pipeline("bearer: { token: store }")
        let program = try table.write("unlock.sh", "#!/bin/sh\necho correct horse\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
        let secret = ["FILMGATE_PASSPHRASE": "correct horse"]
        let sealed = try table.run(
            ["login", "--protect"] + (byProgram ? ["--unlock-with", program] : []),
            environment: byProgram ? [:] : secret)
        #expect(sealed.status == 0, "\(sealed.errors)")
        let input = try table.write("typed", "canary-token\n"), shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = [
            "-c", "\"$0\" login \"$2\" --state \"$1\" < \"$3\" 2>/dev/null >&2", Program.path, table.state, file, input,
        ]
        shell.environment = ProcessInfo.processInfo.environment.merging(secret) { $1 }
        try shell.run()
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 0)
        let asked = try table.run(["whoami", file]), account = asked.items("account").first
        #expect(
            account?["state"] as? String == (byProgram ? "signedIn" : "locked") && asked.status == (byProgram ? 0 : 4))
        #expect(try table.run(["whoami", file], environment: secret).status == 0)
    }

    @Test func noCrashDumpCouldHoldASecret() throws {
        let gallery = try Gallery(table)
        let limits = try String(contentsOfFile: "/proc/\(gallery.process.processIdentifier)/limits", encoding: .utf8)
        let line = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }.map {
            $0.split(separator: " ")
        }
        #expect(line?.suffix(3).prefix(2) == ["1", "1"])
    }

    @Test func theMockIsForTestsOnly() throws {
        let file = try pipeline("mock: {}")
        let refused = try table.run(["check", file])
        #expect(refused.status == 78 && refused.items("diagnostic").contains { $0["code"] as? String == "tests-only" })
        #expect(try table.run(["check", file, "--allow-mock"]).status == 0)
    }

    @Test func mistakesOfTheHand() throws {
        #expect(try table.run(["login"]).status == 2)
        let file = try pipeline("mock: {}")
        let outcome = try table.run(["login", file, "stduio"])
        #expect(outcome.status == 2 && (outcome.items("error").first?["advice"] as? String)?.contains("studio") == true)
        #expect(try table.run(["login", file, "--device", "--paste"]).status == 2)
        #expect(try table.run(["login", file, "--protect", "--unlock-with", "fprintd"]).status == 2)
    }

    /// The whole of it against a real provider, where one is installed.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/glewlwyd"))) func glewlwyd() throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../Scenarios/Peers/glewlwyd/glewlwyd.py").path
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-B", script, "--filmgate", Program.path]
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(said)")
    }
}

/// Collects the command line of every process while it lives.
final class CommandLines: @unchecked Sendable {
    private let lock = NSLock()
    // Both only under the lock.
    private var text = "", stopped = false

    init() {
        Thread.detachNewThread { while self.look() { usleep(5000) } }
    }

    private func look() -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let lines = names.filter { $0.first?.isNumber == true }.compactMap {
            FileManager.default.contents(atPath: "/proc/\($0)/cmdline")
        }
        return lock.withLock {
            for line in lines { text += String(decoding: line, as: UTF8.self) }
            return !stopped
        }
    }

    func stop() -> String {
        lock.withLock {
            stopped = true
            return text
        }
    }
}
