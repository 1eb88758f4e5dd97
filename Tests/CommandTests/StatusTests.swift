import FilmgateTesting
import Foundation
import TestThreads
import Testing

/// `status --watch` without a terminal and in one.
@Suite(.ownThreads) struct StatusTests {
    /// A root without /dev/pts has no terminals to give.
    static let hasTerminals = ["/dev/pts/ptmx", "/usr/bin/script"].allSatisfy {
        FileManager.default.fileExists(atPath: $0)
    }

    @Test func withoutATerminalItTellsInLines() throws {
        let table = try Table()
        try table.sampleCard()
        #expect(try table.importing().status == 0)
        let watch = try Background(["status", "--watch", "--state", table.state, "--json"])
        let line = try #require(watch.line(#"{"type":"status""#))
        #expect(line.contains(#""running":false"#) && line.contains(#""name":"#))
        #expect(watch.kill(SIGINT).status == 130)
    }

    /// Its files have no ending, and are counted all the same, while it goes on and after it was killed.
    @Test func whatARunHadWhenItWasKilledIsCounted() throws {
        let table = try Table()
        try table.frames("CARD", count: 3, from: 1)
        let file = try table.write(
            "p.yaml",
            """
            version: 1
            stages: [ { exif: {} }, { dedupe: {} }, { upload: { to: [archive, gallery] } } ]
            targets:
              archive: { folder: { path: "\(table.archive)", verify: size } }
              gallery: { http: { url: "http://127.0.0.1:\(FreePort.next())/{name}", digest: { header: X-SHA256 } } }
            """)
        func status() throws -> String { try Program.run(["status", "--state", table.state]).output }
        let run = try Background(["import", table.card, "--pipeline", file, "--wait", "5m", "--state", table.state])
        #expect(try Background.within(seconds: 60) { try status().contains("3 pending") })
        let going = try status()
        #expect(going.contains("assets: 3 on the way\n"), "\(going)")
        run.kill(SIGKILL)
        let killed = try status()
        #expect(killed.contains("assets: 3 broken off\n  broken off with a run: `filmgate retry`"), "\(killed)")
        let watch = try Background(["status", "--watch", "--state", table.state])
        #expect(watch.line("no run, 3 frames, 3 broken off") != nil)
        watch.kill(SIGINT)
        #expect(try table.run(["retry", "--wait", "1s"]).status == 8)
        let waiting = try status()
        #expect(waiting.contains("assets: 3 pending\n"), "\(waiting)")
    }

    /// Nobody broke off what waits for a person, whatever became of the run.
    @Test func whatWaitsForAPickIsNotBrokenOff() throws {
        let table = try Table()
        try table.frames("hot", count: 3, from: 1)
        let file = try table.write(
            "p.yaml",
            """
            version: 1
            sources: [ { folder: { path: "\(table.path("hot"))", settle: 50ms, companions: 50ms } } ]
            stages: [ { exif: {} }, { dedupe: {} }, { upload: { to: [archive, picks], deliver: { picks: { picks: only } } } } ]
            targets:
              archive: { folder: { path: "\(table.archive)", verify: size } }
              picks: { folder: { path: "\(table.path("picks"))", verify: size } }
            """)
        func status() throws -> String { try Program.run(["status", "--state", table.state]).output }
        let run = try Background(["run", file, "--state", table.state])
        #expect(try Background.within(seconds: 30) { try status().contains("assets: 3 pending\n") })
        run.kill(SIGKILL)
        let killed = try status()
        #expect(killed.contains("assets: 3 pending\n") && !killed.contains("broken off"), "\(killed)")
        #expect(killed.contains("IMG_0001.JPG: picks: not picked\n"), "\(killed)")
    }

    /// Frames that are waited for are counted nowhere else.
    @Test func aFileThatIsNotWholeIsNamed() throws {
        let table = try Table()
        try table.frames("hot", count: 2, from: 0)
        let whole = try #require(table.files(table.path("hot"))["DCIM/100TEST/IMG_0000.JPG"])
        try table.write("hot/half.JPG", whole.dropLast(2))
        let run = try Background(["watch", table.path("hot"), "--to", table.archive, "--state", table.state])
        #expect(Background.within(seconds: 30) { table.files(table.archive).count == 2 })
        let watch = try Background(["status", "--watch", "--state", table.state, "--json"])
        #expect(Background.within(seconds: 30) { watch.said.contains("waits for half.JPG") })
        #expect(Background.within(seconds: 30) { watch.said.firstMatch(of: /"free":\d/) != nil })
        watch.kill(SIGINT)
        run.kill(SIGTERM)
    }

    /// What is on the screen is put back, whatever ends it.
    @Test(.enabled(if: hasTerminals), arguments: [SIGINT, SIGTERM])
    func theTerminalIsPutBack(_ number: Int32) throws {
        let table = try Table()
        try table.sampleCard()
        #expect(try table.importing().status == 0)
        let log = table.path("screen")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/script")
        let command = "stty cols 80 rows 24; exec '\(Program.path)' status --watch --state '\(table.state)'"
        process.arguments = ["-q", "-f", "-c", "sh -c \"\(command)\"", log]
        let keys = Pipe()
        (process.standardInput, process.standardOutput) = (keys, FileHandle.nullDevice)
        try process.run()
        defer { process.terminate() }
        func screen() -> String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }
        #expect(Background.within(seconds: 20) { screen().contains("TARGETS") })
        #expect(screen().contains("\u{1B}[?1049h"))
        // The program alone: `script` closes the terminal once the shell between them is gone, and what is said after
        // that is lost.
        let program = try #require(Program.children(of: process.processIdentifier).last)
        kill(program, number)
        #expect(Background.within(seconds: 30) { screen().contains("\u{1B}[?1049l") })
        #expect(screen().contains("\u{1B}[?25h"))
    }
}

extension Program {
    /// The processes below one, all the way down.
    static func children(of process: Int32) throws -> [Int32] {
        var found: [Int32] = []
        let tasks = "/proc/\(process)/task"
        for task in (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? [] {
            let text = (try? String(contentsOfFile: "\(tasks)/\(task)/children", encoding: .utf8)) ?? ""
            for child in text.split(separator: " ").compactMap({ Int32($0) }) {
                found += [child] + (try children(of: child))
            }
        }
        return found
    }
}
