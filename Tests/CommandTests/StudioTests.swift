import FilmgateTesting
import Foundation
import TestThreads
import Testing

/// `filmgate studio` as a person starts it.
@Suite(.ownThreads, .timeLimit(.minutes(5))) struct StudioTests {
    private func get(_ address: String, _ headers: [String: String] = [:]) throws -> (status: Int, body: String) {
        let arguments =
            ["-s", "-m", "20", "-w", "\n%{http_code}", address] + headers.flatMap { ["-H", "\($0.key): \($0.value)"] }
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
        (process.arguments, process.standardOutput) = (arguments, output)
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return (Int(lines.last ?? "") ?? 0, lines.dropLast().joined(separator: "\n"))
    }

    private func post(_ address: String, _ token: String, _ body: String) throws -> (status: Int, body: String) {
        let arguments = [
            "-s", "-m", "20", "-w", "\n%{http_code}", "-d", body, "-H", "Content-Type: application/json", "-H",
            "Authorization: Bearer \(token)",
        ]
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
        (process.arguments, process.standardOutput) = (arguments + [address], output)
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return (Int(lines.last ?? "") ?? 0, lines.dropLast().joined(separator: "\n"))
    }

    /// Begins a job and gives what is known of it at its end.
    private func job(_ page: String, _ token: String, _ path: String, _ body: String) throws -> [String: Any] {
        func object(_ text: String) throws -> [String: Any] {
            try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
        }
        let reply = try post(page + "api/v1/" + path, token, body)
        #expect(reply.status == 202, "\(reply.body)")
        let id = try #require(try object(reply.body)["id"] as? String)
        var details: [String: Any] = [:]
        #expect(
            try Background.within(seconds: 60) {
                details = try object(try get(page + "api/v1/jobs/\(id)", ["Authorization": "Bearer \(token)"]).body)
                return details["state"] as? String != "running"
            })
        return details
    }

    /// Where all cores are busy, whoever takes and sends goes first: the page's threads have the lower priority.
    @Test func thePageComesAfterRuns() throws {
        let table = try Table()
        let studio = try Background(["studio", "--listen", "127.0.0.1:0", "--state", table.state, "--json"])
        #expect(studio.line(#"{"type":"studio""#) != nil)
        let folder = "/proc/\(studio.process.processIdentifier)/task/"
        let threads = try FileManager.default.contentsOfDirectory(atPath: folder)
        let priorities = threads.compactMap { thread -> Int? in
            // The 19th field; the second, in brackets, may hold spaces.
            let line = (try? String(contentsOfFile: folder + thread + "/stat", encoding: .utf8)) ?? ""
            return line.split(separator: ")").last?.split(separator: " ").dropFirst(16).first.flatMap { Int($0) }
        }
        // One that was just being started may have been missed.
        #expect(priorities.count > 2 && priorities.count { $0 < 10 } <= 1, "\(priorities)")
        _ = studio.kill(SIGTERM)
    }

    /// With a run it is the run that does it, and without one the command itself: either way it ends as the command
    /// does.
    @Test func whatThePageAsksForIsTheCommand() throws {
        let table = try Table(), gallery = try Gallery(table), hot = table.path("hot")
        gallery.stop()
        let pipeline = try table.live(
            "p.yaml", gallery, ["- folder: { path: \"\(hot)\", settle: 50ms, companions: 50ms }"])
        try table.frames("hot", count: 2, from: 0)
        let run = try Background(["run", pipeline, "--state", table.state, "--json"], environment: Gallery.environment)
        #expect(run.line(#"{"type":"status""#) != nil)
        let studio = try Background(
            ["studio", pipeline, "--listen", "127.0.0.1:0", "--state", table.state], environment: Gallery.environment)
        let line = try #require(studio.line("studio: http://127.0.0.1:"))
        let page = String(try #require(line.dropFirst(8).split(separator: "#").first))
        let made = try Program.run(["studio", "token", "--role", "operate", "--json", "--state", table.state])
        let token = try #require(made.items("token").first?["token"] as? String)
        #expect(
            try Background.within(seconds: 30) {
                let targets = try table.run(["status"]).items("status").first?["targets"] as? [[String: Any]] ?? []
                return targets.contains { $0["name"] as? String == "gallery" && $0["pending"] as? Int == 2 }
            })
        let taken = try job(page, token, "cancel", #"{"target":"gallery"}"#)
        // One that is being tried just then is left to the run.
        let result = taken["result"] as? [String: Any] ?? [:], left = result["pending"] as? Int ?? -1
        #expect(taken["exit"] as? Int == (left == 0 ? 0 : 8) && result["filtered"] as? Int == 2 - left, "\(taken)")
        let unknown = try job(page, token, "retry", #"{"target":"galery"}"#)
        let objects = unknown["objects"] as? [[String: Any]] ?? []
        #expect(
            unknown["exit"] as? Int == 2
                && objects.contains { ($0["message"] as? String)?.contains("Did you mean `gallery`") == true })
        let use = try job(page, token, "events/use", #"{"event":"--none"}"#)
        let chosen = (use["objects"] as? [[String: Any]])?.first { $0["type"] as? String == "event" }
        #expect(use["exit"] as? Int == 0 && chosen?["name"] as? String == "--none", "\(use)")
        try expectPauses(table, page, token)
        let check = try job(page, token, "pipeline/check", "{}")
        #expect(check["exit"] as? Int == 0, "\(check)")
        run.kill(SIGTERM)
        // What the run was trying is nobody's now; a retry would wait two minutes for the gallery that is gone.
        let rest = try job(page, token, "cancel", #"{"target":"gallery"}"#)
        #expect(rest["exit"] as? Int == 0, "\(rest)")
        let after = try job(page, token, "retry", "{}")
        #expect(
            after["exit"] as? Int == 0 && (after["result"] as? [String: Any])?["type"] as? String == "summary",
            "\(after)")
        #expect(studio.kill(SIGTERM).status == 143)
    }

    private func expectPauses(_ table: Table, _ page: String, _ token: String) throws {
        for (verb, paused) in [("pause", true), ("resume", false)] {
            let done = try job(page, token, verb, "{}")
            #expect(done["exit"] as? Int == 0, "\(done)")
            #expect(try table.run(["status"]).items("status").first?["paused"] as? Bool ?? false == paused)
        }
    }

    /// What ends the page is mended, and what ends the run ends the page.
    @Test(arguments: [SIGTERM, SIGKILL]) func aRunKeepsItsPage(_ end: Int32) throws {
        let table = try Table(), port = FreePort.next(), page = "http://127.0.0.1:\(port)/"
        try table.frames("hot", count: 1, from: 0)
        let file = try table.write(
            "live.yaml",
            """
            version: 1
            sources: [ { folder: { path: "\(table.path("hot"))", settle: 0ms, companions: 0ms } } ]
            stages: [ { exif: {} }, { dedupe: {} }, { upload: { to: [archive] } } ]
            targets: { archive: { folder: { path: "\(table.archive)", verify: size } } }
            """)
        let run = try Background(["run", file, "--state", table.state, "--json", "--studio", "127.0.0.1:\(port)"])
        let line = try #require(run.line(#"{"type":"studio""#))
        // A link in a log would let others in.
        #expect(line.contains(page) && !line.contains("#k="), "\(line)")
        #expect(try get(page).body.contains("<main"))
        let first = try #require(pages(of: table).first)
        kill(first, SIGKILL)
        #expect(Background.within(seconds: 30) { pages(of: table).first.map { $0 != first } ?? false })
        #expect(try Background.within(seconds: 30) { try get(page).body.contains("<main") })
        #expect(Background.within(seconds: 30) { table.files(table.archive).count == 1 })
        run.kill(end)
        #expect(Background.within(seconds: 10) { pages(of: table).isEmpty })
        #expect(try get(page).status == 0)
    }

    /// A shoot that needs no camera: frames come in, and nothing of it stays.
    @Test func aSampleShootGoesOn() throws {
        let table = try Table(), port = FreePort.next(), page = "http://127.0.0.1:\(port)/", folder = table.path("tmp")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let studio = try Background(
            ["studio", "--sample", "--listen", "127.0.0.1:\(port)", "--json"], environment: ["TMPDIR": folder])
        #expect(studio.line(#"{"type":"studio""#)?.contains(page) == true)
        let sample = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasPrefix("filmgate-studio-") })
        let made = try Program.run([
            "studio", "token", "--role", "operate", "--json", "--state", "\(folder)/\(sample)/state",
        ])
        let token = try #require(made.items("token").first?["token"] as? String)
        func total() throws -> Int {
            let body = try get(page + "api/v1/frames?ending=delivered", ["Authorization": "Bearer \(token)"]).body
            return (try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])?["total"] as? Int ?? 0
        }
        #expect(try Background.within(seconds: 60) { try total() >= 13 })
        #expect(studio.kill(SIGTERM).status == 143)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }

    @Test func aRunTakesNoPageThatOthersReach() throws {
        let table = try Table(), gallery = try Gallery(table)
        let file = try table.live("p.yaml", gallery, ["- folder: { path: \"\(table.path("hot"))\" }"])
        for (words, status, reason) in [
            (["--studio", "0.0.0.0:8484"], 2, "other machines could reach it"),
            (["--studio", "8484"], 2, "such as 127.0.0.1:8484"),
            (["--studio", "127.0.0.1:8484", "--once"], 2, "only while the run lasts"),
        ] {
            let run = try Program.run(["run", file, "--state", table.state] + words, environment: Gallery.environment)
            #expect(run.status == status && run.errors.contains(reason), "\(run.errors)")
        }
    }

    /// The processes that serve the page of that state.
    private func pages(of table: Table) -> [pid_t] {
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { pid_t($0) } ?? []
        return numbers.filter { number in
            let words = (try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(number)/cmdline"))) ?? Data()
            let text = String(decoding: words, as: UTF8.self).split(separator: "\0")
            return text.contains("--until-eof") && text.contains("--state=\(table.state)")
        }
    }

    @Test func showsWhatWasImportedAndEndsInOrder() throws {
        let table = try Table()
        try table.frames("CARD", count: 3, from: 1)
        #expect(try Program.run(["import", table.card, "--to", table.archive, "--state", table.state]).status == 0)
        let studio = try Background(["studio", "--listen", "127.0.0.1:0", "--state", table.state])
        let line = try #require(studio.line("studio: http://127.0.0.1:"))
        let address = try #require(line.dropFirst(8).split(separator: "#").first)
        let made = try Program.run(["studio", "token", "--role", "operate", "--json", "--state", table.state])
        let token = try #require(made.items("token").first?["token"] as? String)
        let bearer = ["Authorization": "Bearer \(token)"]
        let frames = try get(address + "api/v1/frames", bearer)
        let history = try Program.run(["history", "--run", "1", "--json", "--state", table.state])
        #expect(frames.status == 200)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(frames.body.utf8)) as? [String: Any])
        let listed = (object["frames"] as? [[String: Any]] ?? []).sorted {
            "\($0["path"] ?? "")" < "\($1["path"] ?? "")"
        }
        let told = history.items().sorted { "\($0["path"] ?? "")" < "\($1["path"] ?? "")" }
        #expect(listed.count == 3 && told.count == 3)
        for (frame, item) in zip(listed, told) {
            for (key, value) in item {
                #expect((frame[key] as? NSObject) == (value as? NSObject), "\(key) is as the command tells it")
            }
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
        let file = try table.pipeline(
            to: "https://gallery.example/up/{name}", signedBy: "bearer: { token: \"${env:X}\" }")
        let studio = try Background(["studio", file, "--listen", "127.0.0.1:0", "--state", table.state])
        let line = try #require(studio.line("studio: http://127.0.0.1:"))
        let address = try #require(line.dropFirst(8).split(separator: "#").first)
        let made = try Program.run(["studio", "token", "--role", "admin", "--json", "--state", table.state])
        let token = try #require(made.items("token").first?["token"] as? String)
        let bearer = ["Authorization": "Bearer \(token)"]
        #expect(try get(address + "api/v1/pipeline", bearer).body.contains("${env:X}"))
        _ = try table.pipeline(to: "https://gallery.example/up/{name}", signedBy: "bearer: { token: canary }")
        let shown = try get(address + "api/v1/pipeline", bearer)
        #expect(
            shown.status == 200 && shown.body.contains("gallery.example") && !shown.body.contains("canary"),
            "\(shown.body)")
        #expect(studio.kill(SIGTERM).status == 143)
    }

    @Test(arguments: ["0.0.0.0:0", "192.0.2.1:8484", "[::]:0"]) func doesNotServeOthers(_ address: String) throws {
        let table = try Table(), outcome = try Program.run(["studio", "--listen", address, "--state", table.state])
        #expect(outcome.status == 2 && outcome.errors.contains("ssh -L"))
    }

    /// A telephone compares the fingerprint; curl takes the certificate itself.
    @Test func othersReachItThroughTLS() throws {
        let table = try Table()
        let studio = try Background([
            "studio", "--listen", "0.0.0.0:0", "--self-signed", "--json", "--state", table.state,
        ])
        let line = try #require(studio.line(#"{"type":"studio""#))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(
            (object["link"] as? String)?.hasPrefix("https://") == true
                && (object["fingerprint"] as? String)?.count == 95, "\(line)")
        let port = try #require(object["port"] as? Int)
        let further = try Program.run(["studio", "link", "--state", table.state])
        #expect(
            further.output.hasPrefix(try #require((object["link"] as? String)?.split(separator: "#").first)),
            "\(further.output)")
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
        process.arguments = [
            "-s", "-m", "20", "--cacert", table.state + "/studio/certificate.pem",
            "https://127.0.0.1:\(port)/api/v1/about",
        ]
        process.standardOutput = output
        try process.run()
        #expect(String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self).contains("pairing"))
        process.waitUntilExit()
        #expect(studio.kill(SIGTERM).status == 143)
    }

    @Test func saysWhatIsWrongWithAnAddressOrACertificate() throws {
        let state = try Table().state
        let other = try Program.run(["studio", "--listen", "203.0.113.9:0", "--self-signed", "--state", state])
        #expect(
            other.status == 2 && other.errors.contains("203.0.113.9: that is no address of this machine"),
            "\(other.errors)")
        let words = [
            "studio", "--listen", "0.0.0.0:0", "--certificate", "/nowhere/cert.pem", "--key", "/nowhere/key.pem",
            "--state", state,
        ]
        let missing = try Program.run(words)
        #expect(
            missing.status == 2 && missing.errors.contains("`/nowhere/cert.pem` cannot be read: No such file"),
            "\(missing.errors)")
    }

    @Test(arguments: [
        ["--key", "key.pem"], ["--self-signed", "--certificate", "cert.pem", "--key", "key.pem"],
    ]) func halfACertificateIsNone(_ words: [String]) throws {
        let outcome = try Program.run(["studio", "--listen", "0.0.0.0:0", "--state", try Table().state] + words)
        #expect(outcome.status == 2 && outcome.errors.contains("--certificate and --key"), "\(outcome.errors)")
    }

    @Test(arguments: [
        ["--listen", "8484"], ["--listen", "127.0.0.1:99999"], ["--name", "a b"], ["link", "--role", "king"],
        ["token", "--for", "5"],
    ])
    func saysWhatIsWrongWithItsWords(_ words: [String]) throws {
        let outcome = try Program.run(["studio"] + words + ["--state", try Table().state])
        #expect(outcome.status == 2 && outcome.errors.contains(words.count == 2 ? words[0] : words[1]))
    }

    @Test func aLinkIsForOneBrowserAndARole() throws {
        let table = try Table()
        let outcome = try Program.run([
            "studio", "link", "--role", "view", "--for", "8h", "--json", "--state", table.state,
        ])
        let link = try #require(outcome.items("code").first)
        #expect(
            link["role"] as? String == "view"
                && (link["link"] as? String)?.hasPrefix("http://127.0.0.1:8484/#k=") == true)
    }

    /// Who passes a link on has to know how long it holds, and that somebody has to serve the page.
    @Test func aLinkSaysHowLongItHoldsAndThatNobodyServesThePage() throws {
        let table = try Table(), place = "127.0.0.1:\(FreePort.next())"
        let words = ["studio", "link", "--listen", place, "--state", table.state]
        let code = try Program.run(words + ["--role", "view", "--for", "8h"])
        #expect(
            code.output.hasPrefix("http://\(place)/#k=") && code.output.split(separator: "\n").count == 1
                && code.errors.contains("one browser in as view, once and within five minutes")
                && code.errors.contains("for 8h."), "\(code.errors)")
        #expect(code.errors.contains("Nobody serves the page at http://\(place) now"), "\(code.errors)")
        let client = try Program.run(words + ["--from-now", "--for", "3d"])
        #expect(client.errors.contains("clients in to view for 3d, then not any more"), "\(client.errors)")
        let studio = try Background(["studio", "--listen", "127.0.0.1:0", "--state", table.state])
        #expect(studio.line("studio: http://127.0.0.1:") != nil)
        let served = try Program.run(["studio", "link", "--state", table.state])
        #expect(!served.errors.contains("Nobody serves") && served.errors.contains("for as long as it is used."))
        let line = try Program.run(["studio", "link", "--json", "--state", table.state]).items("code").first
        #expect(line?["served"] as? Bool == true)
        studio.kill(SIGTERM)
    }

    /// The page that began last has ended; an earlier one goes on.
    @Test func aLinkLeadsToAPageThatIsServed() throws {
        let table = try Table(), words = ["studio", "--listen", "127.0.0.1:0", "--state", table.state]
        let first = try Background(words), line = try #require(first.line("studio: http://127.0.0.1:"))
        let page = try #require(line.dropFirst(8).split(separator: "#").first)
        let second = try Background(words)
        #expect(second.line("studio: http://127.0.0.1:") != nil)
        second.kill(SIGTERM)
        let link = try Program.run(["studio", "link", "--state", table.state])
        #expect(link.output.hasPrefix(page + "#k=") && !link.errors.contains("Nobody serves"), "\(link.output)")
        first.kill(SIGTERM)
        let dead = try Program.run(["studio", "link", "--state", table.state])
        #expect(dead.errors.contains("Nobody serves") && dead.errors.contains("`--listen`"), "\(dead.errors)")
    }
}
