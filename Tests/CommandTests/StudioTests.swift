import Foundation
import TestThreads
import Testing

/// `filmgate studio` as a person starts it.
@Suite(.ownThreads, .timeLimit(.minutes(5))) struct StudioTests {
    private func get(_ address: String, _ headers: [String: String] = [:]) throws -> (status: Int, body: String) {
        let arguments = ["-s", "-m", "20", "-w", "\n%{http_code}", address] + headers.flatMap { ["-H", "\($0.key): \($0.value)"] }
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
        (process.arguments, process.standardOutput) = (arguments, output)
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return (Int(lines.last ?? "") ?? 0, lines.dropLast().joined(separator: "\n"))
    }

    @Test func showsWhatWasImportedAndEndsInOrder() throws {
        let table = try Table()
        try table.frames("CARD", count: 3, from: 1)
        #expect(try Program.run(["import", table.card, "--to", table.archive, "--state", table.state]).status == 0)
        let studio = try Background(["studio", "--listen", "127.0.0.1:0", "--state", table.state])
        let line = try #require(studio.line("studio: http://127.0.0.1:")),
            address = try #require(line.dropFirst(8).split(separator: "#").first)
        let made = try Program.run(["studio", "token", "--role", "operate", "--json", "--state", table.state])
        let token = try #require(made.items("token").first?["token"] as? String), bearer = ["Authorization": "Bearer \(token)"]
        let frames = try get(address + "api/v1/frames", bearer),
            history = try Program.run(["history", "--run", "1", "--json", "--state", table.state])
        #expect(frames.status == 200)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(frames.body.utf8)) as? [String: Any])
        let listed = (object["frames"] as? [[String: Any]] ?? []).sorted { "\($0["path"] ?? "")" < "\($1["path"] ?? "")" }
        let told = history.items().sorted { "\($0["path"] ?? "")" < "\($1["path"] ?? "")" }
        #expect(listed.count == 3 && told.count == 3)
        for (frame, item) in zip(listed, told) {
            for (key, value) in item { #expect((frame[key] as? NSObject) == (value as? NSObject), "\(key) is as the command tells it") }
        }
        #expect(try get(String(address)).body.contains("<main"))
        let further = try Program.run(["studio", "link", "--state", table.state])
        #expect(further.output.hasPrefix(String(address) + "#k="), "\(further.output)")
        #expect(try get(String(address), ["Host": "evil.example"]).status == 421)
        let end = studio.kill(SIGTERM)
        #expect(end.status == 143)
    }

    /// Somebody wrote a token into the pipeline while the page was open.
    @Test func aSecretInThePipelineIsNotShown() throws {
        let table = try Table()
        try table.frames("CARD", count: 1, from: 1)
        #expect(try table.importing().status == 0)
        let file = try table.pipeline(to: "https://gallery.example/up/{name}", signedBy: "bearer: { token: \"${env:X}\" }")
        let studio = try Background(["studio", file, "--listen", "127.0.0.1:0", "--state", table.state])
        let line = try #require(studio.line("studio: http://127.0.0.1:")),
            address = try #require(line.dropFirst(8).split(separator: "#").first)
        let made = try Program.run(["studio", "token", "--role", "admin", "--json", "--state", table.state])
        let token = try #require(made.items("token").first?["token"] as? String), bearer = ["Authorization": "Bearer \(token)"]
        #expect(try get(address + "api/v1/pipeline", bearer).body.contains("${env:X}"))
        _ = try table.pipeline(to: "https://gallery.example/up/{name}", signedBy: "bearer: { token: canary }")
        let shown = try get(address + "api/v1/pipeline", bearer)
        #expect(shown.status == 200 && shown.body.contains("gallery.example") && !shown.body.contains("canary"), "\(shown.body)")
        #expect(studio.kill(SIGTERM).status == 143)
    }

    @Test(arguments: ["0.0.0.0:0", "192.0.2.1:8484", "[::]:0"]) func doesNotServeOthers(_ address: String) throws {
        let table = try Table(), outcome = try Program.run(["studio", "--listen", address, "--state", table.state])
        #expect(outcome.status == 2 && outcome.errors.contains("ssh -L"))
    }

    @Test(arguments: [
        ["--listen", "8484"], ["--listen", "127.0.0.1:99999"], ["--name", "a b"], ["link", "--role", "king"], ["token", "--for", "5"],
    ])
    func saysWhatIsWrongWithItsWords(_ words: [String]) throws {
        let outcome = try Program.run(["studio"] + words + ["--state", try Table().state])
        #expect(outcome.status == 2 && outcome.errors.contains(words.count == 2 ? words[0] : words[1]))
    }

    @Test func aLinkIsForOneBrowserAndARole() throws {
        let table = try Table(),
            outcome = try Program.run(["studio", "link", "--role", "view", "--for", "8h", "--json", "--state", table.state])
        let link = try #require(outcome.items("code").first)
        #expect(link["role"] as? String == "view" && (link["link"] as? String)?.hasPrefix("http://127.0.0.1:8484/#k=") == true)
    }
}
