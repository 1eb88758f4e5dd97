import Foundation
import TestThreads
import Testing

/// Words that are wrong, and what help and `check` say.
@Suite(.ownThreads) struct UsageTests {
    @Test(arguments: [
        ["import", "CARD"], ["import", "--bogus"], ["assign"], ["import", "--to", ""],
        ["import", "CARD", "--to", "a", "--pipeline", "b"],
    ])
    func jsonTellsOfAMistakeAndEnds(_ words: [String]) throws {
        let outcome = try Table().run(words)
        #expect(outcome.status == 2)
        #expect(outcome.items("error").first?["code"] as? String == "misconfigured", "\(outcome.output)")
        #expect((outcome.items("error").first?["message"] as? String)?.isEmpty == false)
        #expect(outcome.objects.last?["type"] as? String == "summary" && outcome.count("exit") == 2)
        #expect(!outcome.errors.isEmpty)
    }

    /// Read as text it would be another folder, which may exist: `k�`.
    @Test func anArgumentThatIsNoTextIsRefused() throws {
        let table = try Table()
        try table.write("k\u{FFFD}/DCIM/100AAAAA/IMG_1.JPG", Data([0xFF, 0xD8, 1]))
        let script =
            "cd \(table.path("")) && mkdir \"$(printf 'k\\377')\" && "
            + "exec \(Program.path) safe-to-format \"$(printf 'k\\377')\" --state s --json"
        let process = Process(), output = Pipe()
        (process.executableURL, process.arguments) = (URL(fileURLWithPath: "/bin/sh"), ["-c", script])
        (process.standardOutput, process.standardError) = (output, FileHandle.nullDevice)
        try process.run()
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 2 && said.contains("is not UTF-8"), "\(said)")
    }

    @Test func aVerbThatDoesNotExistIsNamed() throws {
        let near = try Program.run(["imprt", "CARD", "--to", "x"])
        #expect(
            near.status == 2 && near.errors.contains("There is no command called imprt. Did you mean import?"),
            "\(near.errors)")
        let far = try Program.run(["photographs", "--json"])
        #expect(far.status == 2 && far.errors.contains("There is no command called photographs."), "\(far.errors)")
        #expect((far.items("error").first?["message"] as? String)?.contains("no command called photographs") == true)
        #expect(try Program.run(["import", "CARD"]).errors.contains("no command") == false)
    }

    /// Where a word could also be a file that is not there, too.
    @Test(arguments: [
        (["sample", "crad", "/tmp/x"], "sample crad", "card"), (["studio", "lnik"], "studio lnik", "link"),
        (["studio", "lnik", "--role", "view"], "studio lnik", "link"),
        (["catalog", "chekc"], "catalog chekc", "check"),
        (["events", "lst"], "events lst", "list"),
    ])
    func aVerbOfAVerbThatDoesNotExistIsNamed(_ words: [String], _ command: String, _ near: String) throws {
        let outcome = try Program.run(words), lines = outcome.errors.split(separator: "\n")
        #expect(
            outcome.status == 2
                && lines.first == "error: There is no command called \(command). Did you mean \(near)?",
            "\(outcome.errors)")
        #expect(lines.dropFirst().first?.hasPrefix("Usage: filmgate \(words[0]) ") == true, "\(outcome.errors)")
        let far = try Program.run([words[0], "photographs.yaml"])
        #expect(far.status != 0 && !far.errors.contains("Did you mean"), "\(far.errors)")
    }

    /// Whatever else is missing: what is missing may be just that option.
    @Test(arguments: [
        (["mark", "--pic", "x.JPG"], "--pic", "--pick"), (["run", "--onc"], "--onc", "--once"),
        (["sample", "card", "--pars", "3"], "--pars", "--pairs"), (["catalog", "where", "--jso"], "--jso", "--json"),
    ])
    func anUnknownOptionIsNamedFirst(_ words: [String], _ unknown: String, _ near: String) throws {
        let outcome = try Program.run(words), lines = outcome.errors.split(separator: "\n")
        #expect(
            outcome.status == 2 && lines.first == "error: Unknown option '\(unknown)'. Did you mean '\(near)'?",
            "\(outcome.errors)")
        #expect(lines.dropFirst().first?.hasPrefix("Usage: filmgate \(words[0])") == true, "\(outcome.errors)")
    }

    /// What is missing is told where all options are known.
    @Test(arguments: [["mark", "--pick"], ["mark", "x.JPG"], ["mark", "--verbose", "x.JPG"], ["run", "--once"]])
    func whatIsMissingIsToldWhereAllOptionsAreKnown(_ words: [String]) throws {
        let outcome = try Program.run(words)
        #expect(outcome.status == 2 && !outcome.errors.contains("Unknown option"), "\(outcome.errors)")
    }

    /// Before anything else is asked for, such as a token.
    @Test func theFaultsOfASampleGalleryAreListed() throws {
        let words = ["sample", "gallery", "--dir", try Table().path("gallery")]
        let outcome = try Program.run(words + ["--fault", "bogus"])
        #expect(
            outcome.status == 2 && outcome.errors.hasPrefix("error: --fault: `bogus` is no fault")
                && outcome.errors.contains("Known: unauthorized, expire, "), "\(outcome.errors)")
        #expect(try Program.run(["sample", "gallery", "--help"]).output.contains("unauthorized, expire"))
    }

    /// Whoever mistypes an option of a verb needs that verb's options, also where the mistake shows only once the verb
    /// runs.
    @Test(arguments: [
        (["import", "CARD"], "filmgate import"), (["import", "--to", "x"], "filmgate import"),
        (["watch", "--to", "x"], "filmgate watch"),
        (["camera", "simulate", "--files", "/", "--make", "acme"], "filmgate camera simulate"), (["imprt"], "filmgate"),
    ])
    func aMistakeIsToldWithTheUsageOfItsVerb(_ words: [String], _ name: String) throws {
        let outcome = try Program.run(words), lines = outcome.errors.split(separator: "\n")
        #expect(outcome.status == 2 && lines.first?.hasPrefix("error: ") == true, "\(outcome.errors)")
        #expect(lines.dropFirst().first?.hasPrefix("Usage: \(name) ") == true, "\(outcome.errors)")
        #expect(lines.last?.contains("'\(name) --help'") == true, "\(outcome.errors)")
    }

    /// Sound words that name what is not there: usage would send the reader after a mistake that was not made.
    @Test(arguments: [["modules", "foldr"], ["history", "--run", "99"]]) func whatIsNotThereIsToldWithoutUsage(
        _ words: [String]
    ) throws {
        let table = try Table()
        try table.frames("CARD", count: 1, from: 1)
        #expect(try table.importing().status == 0)
        let outcome = try Program.run(words + ["--state", table.state])
        #expect(
            outcome.status == 2 && outcome.errors.hasPrefix("error: ") && !outcome.errors.contains("Usage:"),
            "\(outcome.errors)")
        let lines = try Program.run(words + ["--state", table.state, "--json"])
        #expect(
            lines.items("error").first?["code"] as? String == "misconfigured"
                && lines.objects.last?["exit"] as? Int == 2)
    }

    /// No full disk, but a place where nobody writes.
    @Test func aPlaceForNoFilesIsNotSaidToBeFull() throws {
        let table = try Table()
        try table.frames("CARD", count: 1, from: 1)
        let run = try table.run(["import", table.card, "--to", "/proc/filmgate-test"])
        #expect(run.status != 0 && run.status != 7 && run.count("delivered") == 0, "\(run.output)")
        #expect(!run.output.contains("No room") && !run.errors.contains("No room"), "\(run.output) \(run.errors)")
    }

    /// One camera's address need not be a list; the schema for editors says the same.
    @Test func aSingleHostIsFine() throws {
        let table = try Table()
        func check(_ hosts: String) throws -> Int32 {
            try table.run([
                "check",
                try table.write(
                    "p.yaml",
                    """
                    version: 1
                    sources: [{ canon: { hosts: \(hosts) } }]
                    stages: [{ upload: { to: [a] } }]
                    targets: { a: { folder: { path: "\(table.archive)" } } }
                    """),
            ]).status
        }
        for hosts in ["192.168.1.2", "[192.168.1.2]", "auto"] { #expect(try check(hosts) == 0, "\(hosts)") }
        #expect(try check("{ a: b }") == 78)
        let schema = try Program.run(["schema"]).output
        let hosts = try #require(schema.range(of: "\"hosts\":"))
        #expect(schema[hosts.upperBound...].prefix(200).contains("anyOf"), "\(schema[hosts.upperBound...].prefix(200))")
    }

    /// One document for editors; with `--json` a line like those of all verbs.
    @Test func theSchemaIsADocumentOrALine() throws {
        let plain = try Program.run(["schema"])
        let document = try #require(JSONSerialization.jsonObject(with: Data(plain.output.utf8)) as? NSDictionary)
        let lines = try Program.run(["schema", "--json"])
        #expect(lines.objects.map { $0["type"] as? String } == ["schema", "summary"])
        #expect(lines.objects.first?["schema"] as? NSDictionary == document)
    }

    /// A variable that was not set is not the folder that one happens to be in.
    @Test(arguments: ["card: { paths: [/x, \"\"] }", "folder: { path: \"\" }"]) func anEmptyPathIsAMistake(
        source: String
    ) throws {
        let table = try Table()
        let file = try table.write(
            "p.yaml",
            """
            version: 1
            sources:
              - \(source)
            stages: [{ upload: { to: [a] } }]
            targets: { a: { folder: { path: "\(table.archive)" } } }
            """)
        let found = try table.run(["check", file]).items("diagnostic")
        #expect(found.count == 1 && found.first?["code"] as? String == "bad-path" && found.first?["line"] as? Int == 3)
        #expect(found.first?["column"] as? Int == (source.utf8.count - (source.hasPrefix("card") ? 5 : 4) + 5))
    }

    /// Four workers meet the same refusal; one sentence of it is enough, and its advice is another one.
    @Test func aHoldIsSaidOnce() throws {
        let table = try Table()
        try table.sampleCard()
        let gallery = try Gallery(table), file = try table.pipeline(gallery)
        let outcome = try Program.run(
            ["import", table.card, "--pipeline", file, "--wait", "5s", "--state", table.state],
            environment: ["FILMGATE_GALLERY_TOKEN": "wrong"])
        let lines = outcome.errors.split(separator: "\n")
        #expect(outcome.status == 4 && lines.filter { $0.hasPrefix("held: gallery") }.count == 1, "\(outcome.errors)")
        #expect(lines.filter { $0.hasPrefix("error: ") }.count == 1, "\(outcome.errors)")
    }

    @Test(arguments: ["to: []", "to: a"]) func whatIsWrongWithTheTargetsIsSaidOnce(_ to: String) throws {
        let table = try Table()
        let file = try table.write(
            "p.yaml",
            """
            version: 1
            sources: [{ card: { paths: [/x] } }]
            stages: [{ upload: { \(to) } }]
            targets: { a: { folder: { path: "\(table.archive)" } } }
            """)
        let found = try table.run(["check", file]).items("diagnostic").filter { $0["severity"] as? String == "error" }
        #expect(found.count == 1 && (found.first?["hint"] as? String)?.contains("[a") == true, "\(found)")
    }

    /// A target is another one for each event: `status` says which.
    @Test func statusTellsTheEventsOfATargetApart() throws {
        let table = try Table()
        try table.sampleCard()
        let gallery = try Gallery(table), file = try table.pipeline(gallery)
        for event in ["smith", "smart"] { #expect(try table.deliver(file, ["--event", event]).status == 0) }
        let text = try Program.run(["status", "--state", table.state]).output
        #expect(text.contains("gallery (smith): ") && text.contains("gallery (smart): "), "\(text)")
    }

    /// `to` and `to-2` are no names that anybody gave.
    @Test func statusTellsWhereUnnamedTargetsGo() throws {
        let table = try Table()
        try table.sampleCard()
        #expect(try table.run(["import", table.card, "--to", table.archive, "--to", table.path("backup")]).status == 0)
        let text = try Program.run(["status", "--state", table.state]).output
        #expect(
            text.contains("to (\(table.archive)): ") && text.contains("to-2 (\(table.path("backup"))): "), "\(text)")
    }

    /// Nothing to send is not the same as no such place.
    @Test(arguments: [["retry"], ["assign", "smith"]]) func aStateThatDoesNotExistIsNamed(_ words: [String]) throws {
        let table = try Table(), outcome = try table.run(words)
        #expect(outcome.status == 5 && outcome.items("error").first?["code"] as? String == "notFound")
        #expect(!FileManager.default.fileExists(atPath: table.state))
    }

    /// Which option, what is allowed, and what was probably meant.
    @Test(arguments: [
        ("--settle", "2", ["duration with its unit", "`--settle 2s`"]), ("--settle", "2h", ["between 0s and 60m"]),
        ("--settle", "", ["duration with its unit"]), ("--take", "moove", ["copy, move, inplace", "`move`"]),
    ])
    func aBadValueOfWatchIsNamed(_ option: String, _ value: String, _ words: [String]) throws {
        let table = try Table()
        let outcome = try table.run(["watch", table.root.path, "--to", table.archive, option, value])
        let message = outcome.items("error").first?["message"] as? String ?? ""
        #expect(outcome.status == 2 && message.hasPrefix("\(option) \(value.isEmpty ? "''" : value): "), "\(message)")
        #expect(words.allSatisfy(message.contains), "\(message)")
    }

    @Test func watchHasItsOwnOptions() throws {
        let help = try Program.run(["watch", "--help"])
        #expect(help.status == 0 && !help.output.contains("camera") && help.output.contains("folders to watch"))
        #expect(try Table().run(["watch", "wi", "--to", "x", "--camera", "usb"]).status == 2)
        #expect(try Program.run(["import", "--help"]).output.contains("--camera"))
    }

    @Test(arguments: [["events", "list"], ["modules", "test"], ["run"]]) func helpHasNoStrayMarks(
        _ words: [String]
    ) throws {
        #expect(try !Program.run(words + ["--help"]).output.contains("\\"))
    }

    @Test func theServiceExampleIsValid() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..").path
        let outcome = try Program.run(["check", root + "/.ci/deb/pipeline.yaml"])
        #expect(outcome.status == 0 && !outcome.output.contains("warning"), "\(outcome.output)")
    }

    /// Passwords in the clear and files that are not there: warned of, with their places.
    @Test(arguments: [
        ("0.0.0.0", "none", 1), ("127.0.0.1", "none", 0), ("0.0.0.0", "required", 0), ("192.168.1.2", "explicit", 1),
        ("[::1]", "none", 0), ("[::]", "none", 1),
    ])
    func checkWarnsOfOpenPorts(_ host: String, _ tls: String, _ warnings: Int) throws {
        let table = try Table(), certificate = try table.write("cert.pem", "-")
        let file = try table.write(
            "p.yaml",
            """
            version: 1
            sources:
              - ftp:
                  listen: "\(host):2121"
                  tls: \(tls)
                  certificate: \(certificate)
                  key: \(table.path("none.pem"))
                  logins: [ { user: ann, password: "${env:FTP_PASSWORD}" } ]
            stages: [ { exif: {} }, { dedupe: {} }, { upload: { to: [archive] } } ]
            targets:
              archive: { folder: { path: "\(table.archive)" } }
            """)
        let outcome = try table.run(["check", file])
        let found = outcome.items("diagnostic")
        #expect(
            outcome.status == 0 && found.filter { $0["code"] as? String == "clear-text" }.count == warnings,
            "\(outcome.output)")
        #expect(found.filter { $0["code"] as? String == "missing-file" }.map { $0["line"] as? Int } == [7])
    }

    /// The password is looked at where it is at hand, and never shown.
    @Test(arguments: [
        ("004242", "has only digits"), ("kurz", "is shorter than 10 characters"), ("a longer word", nil), (nil, nil),
    ])
    func checkWarnsOfPasswordsThatCanBeGuessed(_ password: String?, _ weakness: String?) throws {
        let table = try Table()
        let file = try table.write(
            "p.yaml",
            """
            version: 1
            sources:
              - ftp:
                  logins: [ { user: ann, password: "${env:FTP_PASSWORD}" } ]
            stages: [ { exif: {} }, { dedupe: {} }, { upload: { to: [archive] } } ]
            targets:
              archive: { folder: { path: "\(table.archive)" } }
            """)
        let outcome = try table.run(["check", file], environment: password.map { ["FTP_PASSWORD": $0] } ?? [:])
        let found = outcome.items("diagnostic").filter { $0["code"] as? String == "weak-password" }
        #expect(
            outcome.status == 0 && found.map { $0["line"] as? Int } == (weakness == nil ? [] : [4]), "\(outcome.output)"
        )
        if let weakness { #expect((found.first?["message"] as? String)?.contains(weakness) == true) }
        if let password { #expect(!outcome.output.contains(password)) }
    }

    /// Nobody could push where the program that knows the logins cannot be started.
    @Test(arguments: [
        ("/bin/true", nil), ("[/bin/true, x]", nil), ("/bin/nothing", "There is no `/bin/nothing`"),
        ("[/etc/passwd]", "`/etc/passwd` may not be started"), ("/bin", "`/bin` is no program"),
    ])
    func checkTriesWhoKnowsTheLogins(_ program: String, _ words: String?) throws {
        let table = try Table()
        let file = try table.write(
            "p.yaml",
            """
            version: 1
            sources:
              - ftp: { logins: { exec: \(program) } }
            stages: [ { exif: {} }, { dedupe: {} }, { upload: { to: [archive] } } ]
            targets:
              archive: { folder: { path: "\(table.archive)" } }
            """)
        let outcome = try table.run(["check", file])
        let found = outcome.items("diagnostic").filter { $0["code"] as? String == "missing-file" }
        #expect(outcome.status == 0 && found.count == (words == nil ? 0 : 1), "\(outcome.output)")
        if let words { #expect((found.first?["message"] as? String)?.hasPrefix(words) == true) }
    }

    /// A camera would wait for a target that nobody has.
    @Test(
        arguments: [
            ("{ delivered: bucket }", "unknown-target", "There is no target called `bucket`."),
            ("yes", "unknown-choice", "Expected spooled"),
            ("{ delivered: spare }", "target-not-in-upload", "`spare` is not in `upload.to`"),
            ("{ delivered: archive }", nil, nil), ("spooled", nil, nil),
        ] as [(String, String?, String?)])
    func checkKnowsWhoseWordAnUploadWaitsFor(_ confirm: String, _ code: String?, _ words: String?) throws {
        let table = try Table()
        let file = try table.write(
            "p.yaml",
            """
            version: 1
            sources:
              - ftp:
                  logins: [ { user: ann, password: "${env:FTP_PASSWORD}" } ]
                  confirm: \(confirm)
            stages: [ { exif: {} }, { dedupe: {} }, { upload: { to: [archive] } } ]
            targets:
              archive: { folder: { path: "\(table.archive)" } }
              spare: { folder: { path: "\(table.path("spare"))" } }
            """)
        let outcome = try table.run(["check", file], environment: ["FTP_PASSWORD": "correct horse battery"])
        let errors = outcome.items("diagnostic").filter { $0["severity"] as? String == "error" }
        #expect(
            outcome.status == (code == nil ? 0 : 78) && errors.first?["code"] as? String == code, "\(outcome.output)")
        if let words { #expect((errors.first?["message"] as? String)?.hasPrefix(words) == true) }
        #expect(errors.allSatisfy { $0["line"] as? Int == 5 })
    }
}
