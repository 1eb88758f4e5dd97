import Foundation
import Glibc
import TestThreads
import Testing

/// What is said where nothing could be done: the cause, and what helps.
@Suite(.ownThreads) struct MessageTests {
    private static let reading = [["status"], ["history"], ["events"], ["events", "list"]]

    /// Whoever mistypes the state's name must not read that nothing was ever ingested.
    @Test(arguments: reading) func aStateThatIsNotThereIsNoneThatIsEmpty(_ verb: [String]) throws {
        let outcome = try Program.run(verb + ["--state", "/nowhere/at/all"])
        #expect(
            outcome.status == 5 && outcome.errors.contains("There is no state directory `/nowhere/at/all`."),
            "\(outcome.errors)")
        #expect(outcome.output.isEmpty)
        let table = try Table(), file = try table.write("state", "a file")
        let wrong = try Program.run(verb + ["--state", file])
        #expect(wrong.status == 2 && wrong.errors.contains("is no directory"), "\(wrong.errors)")
    }

    /// Another user's state, as an administrator meets it.
    @Test(.enabled(if: geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0), arguments: reading + [["doctor"]])
    func aStateThatMayNotBeReadIsNamed(_ verb: [String]) throws {
        let table = try Table(), copy = table.path("filmgate")
        try table.sampleCard()
        #expect(try table.importing().status == 0)
        for path in [table.state, table.root.path] { #expect(chmod(path, path == table.state ? 0o700 : 0o755) == 0) }
        // By a program of its own: what is started beside us while we write it would keep it open, and then it cannot
        // be run.
        let copying = try Process.run(URL(fileURLWithPath: "/bin/cp"), arguments: [Program.path, copy])
        copying.waitUntilExit()
        let process = Process(), errors = Pipe(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
        process.arguments = ["--reuid=65534", "--clear-groups", copy] + verb + ["--state", table.state]
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        (process.standardError, process.standardOutput) = (errors, output)
        let reader = ErrorReader(errors)
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) + reader.text()
        process.waitUntilExit()
        #expect(process.terminationStatus != 0 && text.contains("cannot be read (Permission denied)"), "\(text)")
        #expect(text.contains("sudo -u root"), "\(text)")
    }

    @Test func anotherUsersHomeIsNoFolderHere() throws {
        let table = try Table(), folder = table.root.path
        try table.sampleCard()
        let outcome = try table.run(["import", table.card, "--to", "~nobody/Pictures"], in: folder)
        #expect(outcome.status == 2 && outcome.errors.contains("stand for a home"), "\(outcome.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder + "/~nobody"))
        #expect(try table.run(["import", table.card, "--dest", "./~nobody"], in: folder).status == 0)
    }

    @Test func retrySaysThatNothingWaits() throws {
        let table = try Table()
        try table.sampleCard()
        #expect(try table.importing().status == 0)
        let outcome = try Program.run(["retry", "--state", table.state])
        #expect(outcome.status == 0 && outcome.output.contains("Nothing is waiting."), "\(outcome.output)")
        #expect(try table.run(["retry"]).count("seen") == 0)
    }

    @Test(arguments: [
        (["--verson"], "Did you mean --version?"), (["version"], "Did you mean --version?"),
        (["run", "--once", "--metrics", "127.0.0.1:0"], "without --once"),
        (["inspect", "/tmp/no-such-file.jpg"], "is not there"),
    ])
    func whatWasMeantIsSaid(_ words: [String], _ hint: String) throws {
        let table = try Table()
        try FileManager.default.createDirectory(atPath: table.card, withIntermediateDirectories: true)
        let file = try table.write(
            "p.yaml",
            """
            version: 1
            sources: [{ card: { paths: ["\(table.card)"] } }]
            stages: [{ upload: { to: [a] } }]
            targets: { a: { folder: { path: "\(table.archive)" } } }
            """)
        let outcome = try Program.run(words.first == "run" ? words + [file] : words)
        #expect(outcome.status != 0 && outcome.errors.contains(hint), "\(outcome.errors)")
        #expect(!outcome.errors.contains("reader"))
    }

    /// What is wrong with the world needs no reminder of the words.
    @Test func usageIsForWordsAlone() throws {
        let table = try Table()
        try table.sampleCard()
        #expect(try table.importing().status == 0)
        let outcome = try Program.run(["history", "--run", "99", "--state", table.state])
        #expect(
            outcome.status == 2 && outcome.errors.hasPrefix("error: There is no run 99")
                && !outcome.errors.contains("Usage"))
    }

    @Test(arguments: [
        ("sources: [{ card: /tmp/CARD }]", "card: { paths: [/tmp/CARD] }"),
        ("sources:\n  - card { paths: [/x] }", "A `:` is missing after `card`."),
        ("include: [cannon]", "Did you mean `canon`?"), ("sources: [{ canon: { hosts: 192.168.1.2 } }]", nil),
        ("stages: [{ upload: { to: [a] } }, { select: {} }]", "decides for all targets"),
    ])
    func checkSaysWhatToWrite(_ line: String, _ hint: String?) throws {
        let table = try Table()
        let stages = line.hasPrefix("stages") ? "" : "stages: [{ exif: {} }, { upload: { to: [a] } }]"
        let file = try table.write(
            "p.yaml", "version: 1\n\(line)\n\(stages)\ntargets: { a: { folder: { path: \"\(table.archive)\" } } }\n")
        let outcome = try Program.run(["check", file], in: table.root.path)
        if let hint {
            #expect(outcome.status == 78 && outcome.output.contains(hint), "\(outcome.output)")
        } else {
            #expect(outcome.status == 0)
        }
    }

    @Test func checkWarnsOfWhatCannotWork() throws {
        let table = try Table()
        let file = try table.write(
            "p.yaml",
            """
            version: 1
            stages: [{ upload: { to: [a, b] } }]
            targets:
              a: { folder: { path: "\(table.archive)/{captured:yyyy}" } }
              b: { immich: { url: "http://localhost:1" } }
            """)
        let outcome = try table.run(["check", file])
        #expect(outcome.status == 0)
        #expect(
            Set(outcome.items("diagnostic").compactMap { $0["code"] as? String }).isSuperset(of: [
                "no-capture-time", "no-sign-in",
            ]))
    }

    /// A wrong file's lines are not told one by one.
    @Test func anotherProgramsFileIsNoPipeline() throws {
        let table = try Table()
        let strange = try table.write("shadow", (1...40).map { "account\($0): \"*:19000:0:99999\"\n" }.joined())
        let outcome = try Program.run(["check", strange])
        #expect(
            outcome.status == 78 && outcome.output.contains("does not look like a pipeline")
                && !outcome.output.contains("account9"))
        let text = try table.write("passwd", "account:x:0:0:account:/account:/bin/sh\n")
        let words = try Program.run(["check", text])
        #expect(
            words.status == 78 && words.output.contains("does not look like a pipeline")
                && !words.output.contains("account"))
        let broken = try table.write("p.yaml", "version: 1\n" + (1...40).map { "stage\($0): 1\n" }.joined())
        let lines = try Program.run(["check", broken]).output
        #expect(lines.contains("more remarks") && !lines.contains("`stage40`"), "\(lines)")
    }

    @Test func profilesAreKnownWithoutAPipeline() throws {
        let known = try Program.run(["profile", "show", "NIKON CORPORATION, NIKON Z 6"], in: "/")
        #expect(known.status == 0 && !known.output.contains("no rule fits"), "\(known.output) \(known.errors)")
        let unknown = try Program.run(["profile", "show", "Acme X100"], in: "/")
        #expect(unknown.status == 0 && unknown.output.contains("no rule fits"), "\(unknown.output)")
    }

    /// A dump beside its copies: one reason, said once, with what helps.
    @Test func aReasonThatAllFilesShareIsSaidOnce() throws {
        let table = try Table()
        for number in 1...9 {
            try table.write("CARD/DCIM/100A/IMG_000\(number).JPG", Data([0xFF, 0xD8, 0xFF, UInt8(number), 0xFF, 0xD9]))
        }
        #expect(try table.importing().status == 0)
        let outcome = try Program.run(["safe-to-format", table.card, "--state", table.state])
        let lines = outcome.output.split(separator: "\n")
        #expect(outcome.status == 8 && lines.filter { $0.contains("own device") }.count == 4, "\(outcome.output)")
        #expect(outcome.output.contains("→ `--allow same-device`"))
        let told = try table.run(["safe-to-format", table.card])
        #expect((told.summary["advice"] as? String)?.contains("`--allow same-device`") == true, "\(told.output)")
        let all = try Program.run(["safe-to-format", table.card, "--state", table.state, "-v"]).output
        #expect(all.split(separator: "\n").filter { $0.contains("own device") }.count == 9)
    }

    @Test func helpNamesTheDefaults() throws {
        let help = try Program.run(["watch", "--help"]).output
        for text in ["(default: 2s)", "(default: copy)", "(default: 2m)", "XDG_STATE_HOME", "(default: reread"] {
            #expect(help.replacing("\n", with: " ").replacing(#/ +/#, with: " ").contains(text), "\(text)")
        }
        #expect(try Program.run(["import", "--help"]).output.contains("-n"))
    }
}
