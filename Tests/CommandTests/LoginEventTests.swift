import FilmgateTesting
import Foundation
import TestThreads
import Testing

/// Cameras whose logins, folders and events a program of the studio knows.
@Suite(.ownThreads, .serialized, .timeLimit(.minutes(5))) struct LoginEventTests {
    private static let password = "f7Qz-long-enough-91"

    /// `ann` belongs to the event smith, `bob` to jones, `cyd` to none; whoever else may not.
    private func pipeline(_ table: Table, _ port: Int, settle: String = "0ms") throws -> String {
        let program = try table.write(
            "logins",
            """
            #!/bin/sh
            cat > "$0.asked"
            grep -q '"password":"\(Self.password)"' "$0.asked" || { echo '{"ok": false}'; exit; }
            case $(cat "$0.asked") in
            *'"user":"ann"'*) echo '{"ok": true, "event": "smith", "folder": "bodies/ann"}' ;;
            *'"user":"bob"'*) echo '{"ok": true, "event": "jones"}' ;;
            *'"user":"cyd"'*) echo '{"ok": true}' ;;
            *) echo '{"ok": false}' ;;
            esac

            """)
        chmod(program, 0o755)
        return try table.write(
            "push.yaml",
            """
            version: 1
            event: { hold: true }
            hooks:
              - exec: { command: [/bin/sh, -c, "cat >> \(table.path("told"))"], on: [run-start, run-end, delivered] }
            sources:
              - ftp: { listen: "127.0.0.1:\(port)", settle: \(settle), companions: 0ms, logins: { exec: \(program) } }
            stages: [ { exif: {} }, { dedupe: {} }, { upload: { to: [archive] } } ]
            targets: { archive: { folder: { path: "\(table.archive)/{event}" } } }
            """)
    }

    /// curl's exit code.
    private func push(
        _ port: Int, _ user: String, _ name: String, _ data: Data, password: String = password
    ) throws -> Int32 {
        let process = Process(), file = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString).JPG"
        try data.write(to: URL(fileURLWithPath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
        process.arguments = [
            "-s", "--max-time", "60", "-u", "\(user):\(password)", "-T", file, "ftp://127.0.0.1:\(port)/\(name)",
        ]
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    private func picture(_ table: Table, _ number: Int) throws -> Data {
        try table.frames("made", count: 1, from: number)
        return try #require(table.files(table.path("made")).values.first { $0.count > 0 })
    }

    @Test func eachFileGoesToTheEventOfItsLogin() throws {
        let table = try Table(), port = FreePort.next(), file = try pipeline(table, port)
        let run = try Background(["run", file, "--state", table.state, "--json"])
        #expect(Background.within(seconds: 30) { (try? push(port, "ann", "IMG_1.JPG", picture(table, 0))) == 0 })
        #expect(try push(port, "bob", "IMG_1.JPG", Data([0xFF, 0xD8, 1, 0xFF, 0xD9])) == 0)
        #expect(try push(port, "cyd", "IMG_9.JPG", Data([0xFF, 0xD8, 2, 0xFF, 0xD9])) == 0)
        #expect(try push(port, "ann", "IMG_2.JPG", Data([1]), password: "wrong") == 67)
        func has(_ event: String, _ name: String) -> Bool { table.files(table.archive)["\(event)/\(name)"] != nil }
        #expect(Background.within(seconds: 30) { has("smith", "IMG_1.JPG") && has("jones", "IMG_1.JPG") })
        let end = run.kill(SIGTERM)
        #expect(end.count("delivered") == 2 && end.count("pending") == 1, "\(end.output)\(end.errors)")
        #expect(!(end.output + end.errors).contains(Self.password))
        let names = table.files(table.archive).keys.filter { $0.hasSuffix(".JPG") }.sorted()
        #expect(names == ["jones/IMG_1.JPG", "smith/IMG_1.JPG"])
        let items = end.items().compactMap { $0["path"] as? String }.sorted()
        #expect(items == ["bob/IMG_1.JPG", "bodies/ann/IMG_1.JPG", "cyd/IMG_9.JPG"], "\(items)")
        // One run, however many events it has.
        let told = try String(contentsOfFile: table.path("told"), encoding: .utf8).split(separator: "\n").compactMap {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        let types = told.compactMap { $0["type"] as? String }
        #expect(types == ["run-start", "delivered", "delivered", "run-end"], "\(types)")
        #expect(Set(told.compactMap { $0["event"] as? String }) == ["smith", "jones"], "\(told)")
        // What had no event waits for one, and can be given one as ever.
        #expect(try table.run(["assign", "smith", "--pipeline", file]).status == 0)
        #expect(has("smith", "IMG_9.JPG"))
    }

    /// What was acknowledged before a crash goes to its event afterwards, whatever the program says then.
    @Test func aCrashLosesNoEvent() throws {
        let table = try Table(), port = FreePort.next(), file = try pipeline(table, port, settle: "10m")
        let first = try Background(["run", file, "--state", table.state, "--json"])
        #expect(Background.within(seconds: 30) { (try? push(port, "ann", "IMG_1.JPG", picture(table, 0))) == 0 })
        first.kill(SIGKILL)
        #expect(table.files(table.archive).isEmpty)
        try table.write("logins", "#!/bin/sh\nexit 1\n")
        let once = try table.run(["run", file, "--once"])
        #expect(once.count("delivered") == 1, "\(once.output)\(once.errors)")
        #expect(table.files(table.archive)["smith/IMG_1.JPG"] != nil)
        #expect(try table.run(["run", file, "--once"]).count("delivered") == 0)
    }
}
