import FilmgateTesting
import Foundation
import Glibc
import TestThreads
import Testing

/// A run whose pipeline file is written again while it goes on.
@Suite(.ownThreads, .serialized) struct ReloadTests {
    @discardableResult private func write(
        _ table: Table, to: [String], rule: String = "", stage: String = "dedupe"
    ) throws -> String {
        let targets = to.map { "  \($0): { folder: { path: \"\(table.path($0))\", verify: size } }" }
        return try table.write(
            "live.yaml",
            """
            version: 1
            sources:
              - folder: { path: "\(table.path("hot"))", settle: 50ms, companions: 50ms }
            \(rule)
            stages: [ { exif: {} }, { \(stage): {} }, { upload: { to: [\(to.joined(separator: ", "))] } } ]
            targets:
            \(targets.joined(separator: "\n"))
            """)
    }

    /// What was delivered into a folder, without what runs keep there for themselves.
    private func delivered(_ table: Table, _ folder: String) -> [String: Data] {
        table.files(table.path(folder)).filter { !$0.key.hasPrefix(".") }
    }

    private func start(_ table: Table) throws -> Background {
        let run = try Background(["run", try write(table, to: ["archive"]), "--state", table.state, "--json"])
        #expect(run.line(#"{"type":"status""#) != nil)
        return run
    }

    private func count(_ run: Background, reload: String) -> Int {
        run.said.components(separatedBy: "\"reload\":\"\(reload)\"").count - 1
    }

    private func waits(_ run: Background, for count: Int, _ reload: String) -> Bool {
        Background.within(seconds: 30) { self.count(run, reload: reload) >= count }
    }

    @Test func aBrokenFileChangesNothingAndSaysWhy() throws {
        let table = try Table()
        try table.frames("hot", count: 2, from: 0)
        let run = try start(table)
        #expect(Background.within(seconds: 30) { table.files(table.archive).count == 2 })
        try write(table, to: ["archive", "second"], stage: "dedup")
        #expect(waits(run, for: 1, "refused"))
        // Right by itself, but delivering into the folder that it watches.
        try write(table, to: ["archive", "hot"])
        #expect(
            Background.within(seconds: 30) {
                self.count(run, reload: "refused") == 2 || self.count(run, reload: "taken") == 1
            })
        try table.frames("hot", count: 3, from: 10)
        #expect(Background.within(seconds: 30) { table.files(table.archive).count == 5 })
        let outcome = run.kill(SIGINT)
        #expect(outcome.status == 130)
        #expect(
            outcome.items("diagnostic").contains {
                "\($0["message"] ?? "")".contains("dedup") && $0["line"] as? Int == 5
            })
        #expect(outcome.count("delivered") == 5, "\(outcome.output)")
        #expect(table.files(table.path("hot")).count == 5)
    }

    /// What waits for its event is kept once, however often the run makes way, and goes once it is delivered.
    @Test func whatIsHeldIsKeptOnceAndGoesWithItsDelivery() throws {
        let table = try Table()
        try table.frames("hot", count: 1, from: 0)
        let hold = "event: { hold: true }", pipeline = try write(table, to: ["archive"], rule: hold)
        let run = try Background(["run", pipeline, "--state", table.state, "--json"])
        func staged() -> [String] { table.files(table.state + "/staging").keys.filter { !$0.hasSuffix(".lock") } }
        func isHeld() throws -> Bool { try table.run(["status"]).output.contains("\"held\":1") }
        #expect(Background.within(seconds: 30) { (try? isHeld()) == true })
        for number in 1...2 {
            try write(table, to: ["archive"], rule: hold + "\nretry: { first: \(number)s }")
            #expect(waits(run, for: number, "taken"))
            // Read again by the run that goes on.
            #expect(Background.within(seconds: 30) { staged().contains { $0.hasSuffix(".part") } })
        }
        #expect(try table.run(["assign", "smith"]).status == 0)
        #expect(Background.within(seconds: 30) { staged().isEmpty }, "\(staged())")
        _ = run.kill(SIGINT)
        #expect(staged().isEmpty && delivered(table, "archive").count == 1, "\(staged())")
    }

    @Test func aNewTargetReceivesWhatItsRuleSaysAndNothingTwice() throws {
        let table = try Table()
        try table.frames("hot", count: 3, from: 0)
        try table.write(
            "hot/DCIM/100TEST/IMG_0100.DNG", Data([0x49, 0x49, 0x2A, 0, 8] + [UInt8](repeating: 0, count: 500)))
        let run = try start(table)
        #expect(Background.within(seconds: 30) { delivered(table, "archive").count == 4 })
        let rule = "profiles: [ { match: {}, deliver: { archive: [jpeg, raw], second: [jpeg] } } ]"
        try write(table, to: ["archive", "second"], rule: rule)
        #expect(waits(run, for: 1, "taken"))
        try table.frames("hot", count: 2, from: 10)
        #expect(
            Background.within(seconds: 30) {
                delivered(table, "second").count == 5 && delivered(table, "archive").count == 6
            })
        let outcome = run.kill(SIGINT)
        #expect(outcome.status == 130)
        let names = delivered(table, "second").keys.map { ($0 as NSString).lastPathComponent }.sorted()
        #expect(names == ["IMG_0000.JPG", "IMG_0001.JPG", "IMG_0002.JPG", "IMG_0010.JPG", "IMG_0011.JPG"])
        #expect(delivered(table, "archive").count == 6)
        #expect(Set(delivered(table, "archive").values).count == 6)
    }

    /// Each port has its own half of an upload of that name, and gives it back after a restart, whichever opens first.
    @Test func twoPortsKeepTheirHalvesOverARestart() throws {
        let table = try Table(), ports = [FreePort.next(), FreePort.next()]
        let password = ["FTP_PASSWORD": "f7Qz-long-enough-91"]
        let sources = ports.map {
            "  - ftp: { listen: \"127.0.0.1:\($0)\", incomplete: 10m, logins: [ { user: ann, password: \"${env:FTP_PASSWORD}\" } ] }"
        }
        let file = try table.write(
            "ports.yaml",
            """
            version: 1
            sources:
            \(sources.joined(separator: "\n"))
            stages: [ { exif: {} }, { dedupe: {} }, { upload: { to: [archive] } } ]
            targets: { archive: { folder: { path: "\(table.archive)" } } }
            """)
        let first = try Background(["run", file, "--state", table.state], environment: password)
        for (index, port) in ports.enumerated() {
            // The line breaks off in the middle of the file.
            let words = """
                s = f.transfercmd('STOR MIDA.JPG'); s.sendall(b'\\xff\\xd8' + b'\(index)' * \(90_000 + index)); time.sleep(1); \
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0)); s.close(); os._exit(0)
                """
            #expect(Background.within(seconds: 30) { (try? ftp(port, words)) == "" })
        }
        first.kill(SIGKILL)
        let second = try Background(["run", file, "--state", table.state], environment: password)
        for (index, port) in ports.enumerated() {
            let size = "f.voidcmd('TYPE I'); print(f.size('MIDA.JPG'))"
            #expect(Background.within(seconds: 30) { (try? ftp(port, size)) == "\(90_002 + index)\n" }, "\(port)")
        }
        second.kill(SIGTERM)
    }

    /// What a client says that does those things; throws where it fails.
    private func ftp(_ port: Int, _ words: String) throws -> String {
        let script = """
            import ftplib, os, socket, struct, time; f = ftplib.FTP(); f.connect('127.0.0.1', \(port), 10); \
            f.login('ann', 'f7Qz-long-enough-91'); \(words)
            """
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script]
        (process.standardOutput, process.standardError) = (output, FileHandle.nullDevice)
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        if process.terminationStatus != 0 { throw CocoaError(.fileReadUnknown) }
        return text
    }

    /// Nobody else would say that the next start fails.
    @Test func aFileThatIsDeletedIsMissedAloudAndTheRunGoesOn() throws {
        let table = try Table()
        try table.frames("hot", count: 1, from: 0)
        let run = try start(table)
        #expect(Background.within(seconds: 30) { table.files(table.archive).count == 1 })
        try FileManager.default.removeItem(atPath: table.path("live.yaml"))
        #expect(waits(run, for: 1, "gone"))
        try table.frames("hot", count: 1, from: 10)
        #expect(Background.within(seconds: 30) { table.files(table.archive).count == 2 })
        try write(table, to: ["archive"])
        #expect(waits(run, for: 1, "unchanged"))
        let outcome = run.kill(SIGINT)
        #expect(outcome.status == 130 && count(run, reload: "gone") == 1)
        let reason = outcome.items("status").first { $0["reload"] as? String == "gone" }?["reason"] as? String ?? ""
        #expect(reason.contains("live.yaml` is gone: ") && reason.contains("Put the file back"), "\(reason)")
    }

    /// Releases are often switched by a link, to the file or to its folder.
    @Test(arguments: ["live.yaml", "current"])
    func aLinkThatIsPointedElsewhereIsAChange(link: String) throws {
        let table = try Table()
        try table.frames("hot", count: 1, from: 0)
        for (folder, targets) in [("a", ["archive"]), ("b", ["archive", "second"])] {
            try FileManager.default.createDirectory(atPath: table.path(folder), withIntermediateDirectories: true)
            try FileManager.default.moveItem(
                atPath: try write(table, to: targets), toPath: table.path(folder + "/live.yaml"))
        }
        func point(to folder: String) throws {
            let file = link == "current" ? "" : "/live.yaml"
            try FileManager.default.createSymbolicLink(
                atPath: table.path("new"), withDestinationPath: table.path(folder) + file)
            #expect(rename(table.path("new"), table.path(link)) == 0)
        }
        try point(to: "a")
        let run = try Background([
            "run", table.path(link == "current" ? "current/live.yaml" : link), "--state", table.state, "--json",
        ])
        #expect(run.line(#"{"type":"status""#) != nil)
        #expect(Background.within(seconds: 30) { table.files(table.archive).count == 1 })
        try point(to: "b")
        #expect(waits(run, for: 1, "taken"))
        #expect(Background.within(seconds: 30) { self.delivered(table, "second").count == 1 })
        // What it leads to now is watched, too.
        let text = try String(contentsOfFile: table.path("b/live.yaml"), encoding: .utf8)
        try table.write("b/live.yaml", text + "# again\n")
        #expect(waits(run, for: 1, "unchanged"))
        #expect(run.kill(SIGINT).status == 130)
    }

    /// A reload waits a few seconds for what is being sent, not minutes: meanwhile nobody listens to cameras and
    /// folders.
    @Test func aSlowDeliveryDoesNotKeepTheSourcesWaiting() throws {
        let table = try Table()
        try table.frames("hot", count: 1, from: 0)
        let script = try table.write("slow.sh", "#!/bin/sh\ntouch '\(table.path("begun"))'\nexec sleep 120\n")
        let pipeline = { (name: String) in
            try table.write(
                "slow.yaml",
                """
                version: 1
                name: \(name)
                sources: [ { folder: { path: "\(table.path("hot"))", settle: 50ms, companions: 50ms } } ]
                stages: [ { dedupe: {} }, { upload: { to: [archive, slow] } } ]
                targets:
                  archive: { folder: { path: "\(table.archive)", verify: size } }
                  slow: { exec: { command: [/bin/sh, "\(script)"], timeout: 20m } }
                """)
        }
        let run = try Background(["run", try pipeline("one"), "--state", table.state, "--json"])
        #expect(Background.within(seconds: 30) { FileManager.default.fileExists(atPath: table.path("begun")) })
        _ = try pipeline("two")
        #expect(waits(run, for: 1, "taken"))
        try table.frames("hot", count: 1, from: 10)
        #expect(
            Background.within(seconds: 60) { table.files(table.archive).keys.contains { $0.hasSuffix("IMG_0010.JPG") } }
        )
        Glibc.kill(run.process.processIdentifier, SIGINT)
        run.kill(SIGINT)
    }

    @Test func signalsReachTheRunAfterManyReloads() throws {
        let table = try Table()
        try table.frames("hot", count: 1, from: 0)
        let run = try start(table)
        for round in 1...4 {
            try write(table, to: ["archive"], rule: "retry: { first: \(round)s }")
            Glibc.kill(run.process.processIdentifier, SIGHUP)
            #expect(waits(run, for: round, "taken"))
            try table.frames("hot", count: 1, from: round * 10)
            #expect(Background.within(seconds: 30) { table.files(table.archive).count == 1 + round })
        }
        let outcome = run.kill(SIGTERM)
        #expect(outcome.status == 143)
        #expect(outcome.count("delivered") == 5)
    }

    /// Counts, connections and half uploads are a run's own: what is asked to read an unchanged file again keeps them.
    @Test func aReloadThatChangesNothingInterruptsNothing() throws {
        let table = try Table()
        try table.frames("hot", count: 3, from: 0)
        let run = try start(table)
        #expect(Background.within(seconds: 30) { table.files(table.archive).count == 3 })
        for round in 1...3 {
            Glibc.kill(run.process.processIdentifier, SIGHUP)
            #expect(waits(run, for: round, "unchanged"))
        }
        // A remark moves every place in the file, and means nothing either.
        let file = table.path("live.yaml"), text = try String(contentsOfFile: file, encoding: .utf8)
        try table.write("live.yaml", "# a remark\n" + text)
        #expect(waits(run, for: 4, "unchanged"))
        let outcome = run.kill(SIGTERM)
        #expect(count(run, reload: "taken") == 0)
        #expect(outcome.count("seen") == 3 && outcome.count("alreadySeen") == 0, "\(outcome.output)")
        let runs = try table.run(["history"]).items("run")
        #expect(runs.count == 1)
    }

    /// A certificate or secret that was renewed is read once, by those who use it.
    @Test func aFileThatThePipelineNamesCountsAsAChange() throws {
        let table = try Table(), secret = try table.write("secret", "one")
        try table.frames("hot", count: 1, from: 0)
        let file = try write(table, to: ["archive"])
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try table.write("live.yaml", text + "\nauth:\n  me: { bearer: { token: \"${file:\(secret)}\" } }\n")
        let run = try Background(["run", file, "--state", table.state, "--json"])
        #expect(Background.within(seconds: 30) { table.files(table.archive).count == 1 })
        Glibc.kill(run.process.processIdentifier, SIGHUP)
        #expect(waits(run, for: 1, "unchanged"))
        try table.write("secret", "two")
        Glibc.kill(run.process.processIdentifier, SIGHUP)
        #expect(waits(run, for: 1, "taken"))
        #expect(run.kill(SIGTERM).status == 143)
    }
}
