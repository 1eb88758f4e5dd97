import Foundation
import TestThreads
import Testing

/// A secret that was typed in for one address goes to no other, whatever the pipeline file says later.
@Suite(.ownThreads) struct TypedSecretTests {
    let table: Table

    init() throws {
        table = try Table()
        try table.sampleCard()
    }

    private func pipeline(_ address: String, in name: String = "p.yaml") throws -> String {
        try table.pipeline(to: address + "/api/assets", signedBy: "bearer: { token: store }", in: name)
    }

    /// Signs in with the gallery's token typed in; what was said.
    private func login(_ file: String, typing lines: Int = 1) throws -> (status: Int32, said: String) {
        let input = try table.write("typed", String(repeating: Gallery.token + "\n", count: lines)), shell = Process()
        let output = Pipe()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = [
            "-c", "\"$0\" login \"$2\" --state \"$1\" < \"$3\" 2>&1", Program.path, table.state, file, input,
        ]
        shell.standardOutput = output
        try shell.run()
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        shell.waitUntilExit()
        return (shell.terminationStatus, said)
    }

    private func take(_ file: String) throws -> Program.Outcome {
        try table.run(["import", "--pipeline", file, "--wait", "10s"])
    }

    @Test func itGoesWhereItWasTypedInFor() throws {
        let mine = try Gallery(table), other = try Gallery(table, in: "other")
        let file = try pipeline(mine.address)
        #expect(try login(file).status == 0)
        #expect(try take(file).status == 0)
        // The same file with another address, and another file with the same entry.
        for file in [try pipeline(other.address), try pipeline(other.address, in: "q.yaml")] {
            let refused = try take(file)
            #expect(refused.status == 4, "\(refused.output) \(refused.errors)")
            #expect(try other.assets().isEmpty)
            let line = try table.run(["whoami", file]).items("account").first, reason = line?["reason"] as? String ?? ""
            #expect(line?["state"] as? String == "signedOut")
            #expect(
                reason.contains("typed in for \(mine.address)") && reason.contains("not for \(other.address)"),
                "\(reason)")
        }
        // It counts as not stored; the same secret typed in for the new address serves both.
        #expect(try login(file).status == 0)
        #expect(try take(file).status == 0)
        #expect(try !other.assets().isEmpty)
        #expect(try table.run(["whoami", try pipeline(mine.address)]).status == 0)
    }

    @Test func oneSecretOfTwoSignInsServesBoth() throws {
        let file = try table.write(
            "two.yaml",
            """
            version: 1
            sources:
              - card: { paths: ["\(table.card)"] }
            stages:
              - dedupe: {}
              - upload: { to: [one, two] }
            targets:
              one: { http: { url: "https://one.example/up/{name}", auth: one } }
              two: { http: { url: "https://two.example/up/{name}", auth: two } }
            auth:
              one: { bearer: { token: "${store:shared}" } }
              two: { bearer: { token: "${store:shared}" } }
            """)
        let first = try login(file)
        #expect(first.status == 0, "\(first.said)")
        // Nobody is asked twice.
        #expect(try login(file, typing: 0).status == 0)
        #expect(try table.run(["whoami", file]).status == 0)
    }

    @Test func whatAnEarlierVersionStoredGoesOn() throws {
        let mine = try Gallery(table), file = try pipeline(mine.address)
        try table.write("state/secrets.json", #"{"version":1,"entries":{"secret/studio":"\#(Gallery.token)"}}"#)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: table.state)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: table.state + "/secrets.json")
        #expect(try take(file).status == 0)
        #expect(try !mine.assets().isEmpty)
    }
}
