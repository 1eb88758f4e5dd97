import Foundation
import TestThreads
import Testing

/// Modules that are programs: found, listed, checked, tried out and used.
@Suite(.ownThreads) struct ModuleTests {
    static let examples = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Sources/FilmgateExternal/examples").path

    private static var path: [String: String] {
        ["PATH": examples + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")]
    }

    @Test(arguments: ["shelf", "leaveout", "keyring", "attic"])
    func theExamplesPass(_ name: String) throws {
        let outcome = try Program.run(["modules", "test", "\(Self.examples)/filmgate-module-\(name)", "--json"])
        let failed = outcome.items("case").filter { $0["passed"] as? Bool != true }
        #expect(failed.isEmpty, "\(failed) \(outcome.errors)")
        #expect(outcome.status == 0)
        #expect(outcome.items("case").count >= 8)
    }

    @Test func aModuleThatForgetsFails() throws {
        let table = try Table()
        let text = try String(contentsOfFile: "\(Self.examples)/filmgate-module-shelf", encoding: .utf8)
        let path = try table.write(
            "filmgate-module-shelf",
            text.replacingOccurrences(of: "os.replace(path + \".part\", path)", with: "os.remove(path + \".part\")"))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        let outcome = try Program.run(["modules", "test", path])
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("FAILED  gives a receipt for what it delivered"))
    }

    /// A target that lets nobody in without the right key.
    private func locked(_ table: Table, _ test: String) throws -> String {
        let text = try String(contentsOfFile: "\(Self.examples)/filmgate-module-shelf", encoding: .utf8)
        let fields = try #require(text.range(of: "\"fields\": ["))
        var changed = text.replacingCharacters(
            in: fields,
            with:
                "\"fields\": [{\"name\": \"key\", \"kind\": \"secret\", \"help\": \"The key.\", \"required\": True},\n         "
        )
        changed = changed.replacingOccurrences(
            of: "{\"folder\": \"{scratch}\"", with: "{\"folder\": \"{scratch}\"\(test)")
        changed = changed.replacingOccurrences(
            of: "def upload(job):",
            with: """
                def secrets(message):
                    global key
                    key = message["secrets"]["key"]
                    return {}

                def upload(job):
                    if key != "right-key": raise OSError("The key does not fit.")
                """)
        changed = changed.replacingOccurrences(
            of: "{\"configure\": configure", with: "{\"secrets\": secrets, \"configure\": configure")
        let path = try table.write(
            "filmgate-module-locked", changed.replacingOccurrences(of: "\"shelf\"", with: "\"locked\""))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return path
    }

    @Test func aModulesOwnSecretIsGivenByHand() throws {
        let table = try Table(), path = try locked(table, "")
        let canary = try Program.run(["modules", "test", path])
        #expect(
            canary.status == 1 && canary.output.contains("The key does not fit."), "\(canary.output) \(canary.errors)")
        // One cause, written out once.
        #expect(canary.output.contains("as in \"") && canary.output.contains("24 times: "), "\(canary.output)")
        for value in ["key=right-key", "key=${env:LOCKED_KEY}"] {
            let run = try Program.run(
                ["modules", "test", path, "--secret", value], environment: ["LOCKED_KEY": "right-key"])
            #expect(run.status == 0, "\(run.output) \(run.errors)")
        }
        let other = try Program.run(["modules", "test", path, "--secret", "kye=x"])
        #expect(other.status == 2 && other.errors.contains("no secret called `kye`: it has key"), "\(other.errors)")
    }

    @Test func aSecretInTheOptionsIsNamedOnce() throws {
        let table = try Table()
        let run = try Program.run(["modules", "test", try locked(table, ", \"key\": \"right-key\"")])
        #expect(
            run.status == 1 && run.output.contains("`key` is a secret") && run.output.contains("--secret key="),
            "\(run.output)")
        #expect(
            run.output.split(separator: "\n").count { $0.hasPrefix("FAILED") } == 1 && !run.output.contains("right-key")
        )
    }

    @Test func theyAreListedWithWhatTheySay() throws {
        let list = try Program.run(["modules", "--json"], environment: Self.path).items("module")
        let shelf = try #require(list.first { $0["name"] as? String == "shelf" })
        #expect(shelf["kind"] as? String == "target")
        #expect(shelf["summary"] as? String == "Keeps files by their digest.")
        let page = try Program.run(["modules", "shelf"], environment: Self.path)
        #expect(page.output.contains("folder: path (required)"))
    }

    private func pipeline(_ table: Table, _ options: String, modules: String = "") throws -> String {
        try table.write(
            "pipeline.yaml",
            """
            version: 1
            \(modules)
            stages:
              - leaveout: { names: "*.XMP" }
              - dedupe: {}
              - upload: { to: [far] }
            targets:
              far: { shelf: \(options) }
            """)
    }

    @Test func checkKnowsTheirOptions() throws {
        let table = try Table()
        #expect(
            try Program.run(["check", try pipeline(table, "{ folder: /srv }")], environment: Self.path).status == 0)
        let wrong = try Program.run(
            ["check", try pipeline(table, "{ fodler: /srv }"), "--json"], environment: Self.path)
        #expect(wrong.status == 78)
        let found = wrong.items("diagnostic").filter { $0["severity"] as? String == "error" }
        #expect(found.map { $0["code"] as? String } == ["missing-key", "unknown-key"])
        #expect(found.last?["line"] as? Int == 8)
        #expect(found.last?["hint"] as? String == "Did you mean `folder`?")
        #expect(
            try Program.run(["check", try pipeline(table, "{ folder: /srv }")]).output.contains(
                "There is no target module called `shelf`"))
    }

    @Test func aFileCanNameTheirPrograms() throws {
        let table = try Table()
        let named = "modules: [\(Self.examples)/filmgate-module-shelf, \(Self.examples)/filmgate-module-leaveout]"
        #expect(try Program.run(["check", try pipeline(table, "{ folder: /srv }", modules: named)]).status == 0)
        let other = try Program.run(
            ["check", try pipeline(table, "{ folder: /srv }", modules: "modules: [/bin/sh]")], environment: Self.path)
        #expect(other.status == 78)
        #expect(other.output.contains("is no module"))
    }

    @Test func aCardGoesThroughThem() throws {
        let table = try Table()
        try table.sampleCard()
        try FileManager.default.createDirectory(atPath: table.archive, withIntermediateDirectories: true)
        let file = try pipeline(table, "{ folder: \"\(table.archive)\" }")
        let first = try table.run(["import", table.card, "--pipeline", file], environment: Self.path)
        #expect(first.status == 0, "\(first.errors)")
        #expect(first.count("delivered") > 0 && first.count("delivered") == table.files(table.archive).count)
        let again = try table.run(["import", table.card, "--pipeline", file], environment: Self.path)
        #expect(again.count("delivered") == 0)
    }
}
