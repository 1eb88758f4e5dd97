import FilmgateCore
import Foundation
import TestThreads
import Testing

@testable import filmgate

/// `hooks:` of the pipeline: who is told of a run.
@Suite(.ownThreads) struct HookTests {
    private func pipeline(_ table: Table, _ hooks: String) throws -> String {
        try table.write(
            "pipeline.yaml",
            """
            version: 1
            name: wedding
            hooks:
              \(hooks)
            stages:
              - dedupe: {}
              - upload: { to: [archive] }
            targets:
              archive: { folder: { path: "\(table.archive)/{name}", verify: size } }
            """)
    }

    @Test func aRunTellsItsProgramWhatHappened() throws {
        let table = try Table()
        try table.sampleCard()
        let program = try table.write("tell", "#!/bin/sh\ncat >> \"$1\"\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
        let log = table.root.appendingPathComponent("notices").path
        let file = try pipeline(
            table, "- exec: { command: [\"\(program)\", \"\(log)\"], on: [run-start, run-end, delivered] }")
        let run = try table.run(["import", table.card, "--pipeline", file, "--event", "smith"])
        #expect(run.status == 0, "\(run.errors)")
        let notices = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").compactMap {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        #expect(notices.first?["type"] as? String == "run-start")
        #expect(notices.last?["type"] as? String == "run-end")
        #expect(notices.last?["delivered"] as? Int == run.count("delivered"))
        #expect(notices.allSatisfy { $0["event"] as? String == "smith" })
        let files = notices.filter { $0["type"] as? String == "delivered" }.compactMap { $0["files"] as? [Any] }
        #expect(files.map(\.count).reduce(0, +) == run.count("delivered"))
        try FileManager.default.removeItem(atPath: log)
        #expect(try table.run(["import", table.card, "--pipeline", file, "--event", "smith", "--dry-run"]).status == 0)
        #expect(!FileManager.default.fileExists(atPath: log))
    }

    /// A run that breaks off is over, too: whoever waits for its end must not wait for ever.
    @Test func aRunThatBreaksOffTellsItsEnd() throws {
        let table = try Table()
        try table.sampleCard()
        let log = table.root.appendingPathComponent("notices").path
        let file = try pipeline(
            table, "- exec: { command: [/bin/sh, -c, \"cat >> \(log)\"], on: [run-start, run-end] }")
        try table.write("state/staging", "in the way")
        let run = try table.run(["import", table.card, "--pipeline", file])
        #expect(run.status != 0)
        let notices = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").compactMap {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        #expect(notices.map { $0["type"] as? String } == ["run-start", "run-end"])
        #expect(notices.last?["exit"] as? Int == Int(run.status))
        #expect((notices.last?["error"] as? String)?.contains("staging") == true, "\(notices)")
    }

    /// Whoever shows the event learns of another one by the run that begins with it.
    @Test func aRunThatBeginsAnewTellsTheEndAndTheStart() throws {
        let table = try Table(), log = table.root.appendingPathComponent("notices").path
        let hooks = "- exec: { command: [/bin/sh, -c, \"cat >> \(log)\"], on: [run-start, run-end] }"
        let file = try pipeline(
            table,
            hooks + "\nsources: [ { folder: { path: \"\(table.path("hot"))\", settle: 50ms, companions: 50ms } } ]")
        try FileManager.default.createDirectory(atPath: table.path("hot"), withIntermediateDirectories: true)
        try table.frames("hot", count: 2, from: 0)
        let run = try Background(["run", file, "--event", "smith", "--state", table.state, "--json"])
        #expect(Background.within(seconds: 30) { table.files(table.archive).count == 2 })
        #expect(try table.run(["events", "use", "--now", "jones"]).status == 0)
        func notices() -> [[String: Any]] {
            let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
            return text.split(separator: "\n").compactMap {
                try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
            }
        }
        #expect(Background.within(seconds: 30) { notices().count == 3 })
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try table.write("pipeline.yaml", text.replacingOccurrences(of: "settle: 50ms", with: "settle: 60ms"))
        #expect(Background.within(seconds: 30) { notices().count == 5 })
        #expect(run.kill(SIGTERM).status == 143)
        let told = notices().map { "\($0["type"] ?? "") \($0["event"] ?? "") \($0["delivered"] ?? "")" }
        let all = ["start smith ", "end smith 2", "start jones ", "end jones 0", "start jones ", "end jones 0"]
        #expect(told == all.map { "run-" + $0 }, "\(notices())")
        #expect(notices().map { $0["exit"] as? Int } == [nil, 0, nil, 0, nil, 143])
    }

    /// One entry for each moment.
    @Test func aProgramMayBeAHookTwice() throws {
        let table = try Table()
        try table.sampleCard()
        let log = table.root.appendingPathComponent("notices").path
        let told = "- exec: { command: [/bin/sh, -c, \"cat >> \(log)\"], on:"
        let file = try pipeline(table, "\(told) [run-start] }\n  \(told) [run-end] }")
        #expect(try table.run(["import", table.card, "--pipeline", file]).status == 0)
        let text = try String(contentsOfFile: log, encoding: .utf8)
        #expect(text.contains("\"run-start\"") && text.contains("\"run-end\""), "\(text)")
    }

    @Test func onlyTheSameHooksAreOne() {
        func program(_ command: [String], _ on: [HookMoment]) -> Hook {
            var hook = ExecHook()
            (hook.command, hook.on) = (command, on)
            return .exec(hook)
        }
        func server(_ url: String, _ secret: String) -> Hook {
            var hook = Webhook()
            (hook.url, hook.secret) = (url, Secret(.environment(secret)))
            return .webhook(hook)
        }
        let hooks = [
            program(["/tell", "a b"], [.held]), program(["/tell", "a", "b"], [.held]),
            program(["/tell", "a b"], [.runEnd]), program(["/tell", "a b"], [.held, .runEnd]),
            server("https://studio.example", "A"), server("https://studio.example", "B"),
        ]
        #expect(Hook.distinct(hooks).count == hooks.count)
        let same = [program(["/tell", "a b"], [.runEnd, .held]), server("https://studio.example", "A")]
        #expect(Hook.distinct(hooks + same).count == hooks.count)
    }

    @Test func aHookThatFailsFailsNoRun() throws {
        let table = try Table()
        try table.sampleCard()
        let file = try pipeline(table, "- exec: { command: [/bin/false], on: [run-end] }")
        let run = try table.run(["import", table.card, "--pipeline", file])
        #expect(run.status == 0)
        #expect(run.errors.contains("run-end not delivered"))
    }

    @Test(arguments: [
        ("- exec: { command: [notify] }", "bad-option"), ("- webhook: { url: \"ftp://x\" }", "bad-option"),
        ("- webhook: { url: \"http://gallery.example/x\" }", "plain-http"), ("- webhook: {}", "missing-key"),
        ("- webhook: { url: \"https://x\", secret: hunter2 }", "inline-secret"), ("- webhok: {}", "unknown-hook"),
        ("- webhook: { url: \"https://x\", on: [run-stop] }", "unknown-choice"), ("webhook: {}", "wrong-type"),
        ("- webhook: { url: \"https://me:pass@x\" }", "inline-secret"),
    ])
    func checkFindsTheMistake(_ hook: String, _ code: String) throws {
        let table = try Table(), file = try pipeline(table, hook)
        let found = try Program.run(["check", file, "--json"])
        #expect(found.status == 78)
        let errors = found.items("diagnostic").filter { $0["severity"] as? String == "error" }
        #expect(errors.map { $0["code"] as? String } == [code], "\(found.output)")
        #expect(!found.output.contains("hunter2"))
    }
}
