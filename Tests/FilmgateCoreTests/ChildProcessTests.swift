import FilmgateCore
import Foundation
import Glibc
import Testing

@Suite struct ChildProcessTests {
    private func command(_ script: String) -> ChildProcess.Command {
        ChildProcess.Command(["/bin/sh", "-c", script], environment: ["PATH=/usr/bin:/bin", "GREETING=hello"])
    }

    /// What it wrote until its output ended.
    private func output(of program: PipedProcess, _ input: String = "") -> String {
        var rest = Array(input.utf8)[...], said: [UInt8] = []
        while program.output.isOpen {
            program.exchange(&rest, within: 1000) { stream, bytes in if stream == .output { said += bytes } }
        }
        return String(decoding: said, as: UTF8.self)
    }

    @Test func itsInputAndOutputAreOursAndItsEnvironmentIsWhatItIsGiven() throws {
        let program = try PipedProcess(command("echo $GREETING $HOME; cat"))
        #expect(
            output(of: program, String(repeating: "x", count: 300_000)) == "hello\n"
                + String(repeating: "x", count: 300_000))
        #expect(program.child.wait().words.isEmpty)
    }

    /// A byte that is no part of UTF-8 stands in a path as a scalar of our own, which nobody else knows.
    @Test func aPathInItsEnvironmentIsItsBytes() throws {
        var command = command("printf %s \"$FILE\" | od -An -tx1")
        command.environment.append("FILE=Bl\u{10FFE9} \u{1F4F7}")
        #expect(
            output(of: try PipedProcess(command)).split(whereSeparator: \.isWhitespace).joined() == "426ce920f09f93b7")
    }

    @Test func itInheritsNoOpenFileAndNoSignalThatIsBlockedOrIgnored() throws {
        // Without close-on-exec, as libraries open them.
        let leaked = open("/dev/null", O_RDONLY)
        defer { close(leaked) }
        let program = try PipedProcess(
            command("ls /proc/self/fd | wc -l; exec grep -E '^Sig(Blk|Ign)' /proc/self/status"), isFed: false)
        let lines = output(of: program).split(separator: "\n").map {
            $0.split(whereSeparator: \.isWhitespace).last.map(String.init) ?? ""
        }
        // Its three streams, and the directory that `ls` reads. The shell itself blocks signals while it starts others.
        #expect(lines.first == "4")
        let ending = [SIGPIPE, SIGINT, SIGTERM, SIGHUP].reduce(UInt64(0)) { $0 | 1 << UInt64($1 - 1) }
        #expect(
            lines.count == 3 && lines.dropFirst().allSatisfy { UInt64($0, radix: 16).map { $0 & ending == 0 } == true })
    }

    @Test func itsEndIsTold() throws {
        #expect(try ChildProcess(command("exit 3"), [nil, nil, nil]).wait().words == " with status 3")
        let killed = try ChildProcess(command("kill -TERM $$"), [nil, nil, nil]).wait()
        #expect(killed.signal == SIGTERM && killed.words.hasPrefix(" with signal 15"))
    }

    @Test func itEndsWithAllThatItStarted() throws {
        let program = try PipedProcess(command("sleep 1000 & echo $!; wait"), isFed: false)
        var nothing: ArraySlice<UInt8> = [], said = ""
        while !said.contains("\n") {
            program.exchange(&nothing, within: 1000) { _, bytes in said += String(decoding: bytes, as: UTF8.self) }
        }
        let ending = program.child.end(), grandchild = try #require(pid_t(said.dropLast()))
        #expect(ending.wasKilled && ending.signal == SIGKILL && program.child.isOver)
        #expect(program.child.end().signal == SIGKILL)
        // Killed, it is a zombie until its new parent reaps it.
        var left = 500
        while left > 0, FileManager.default.contents(atPath: "/proc/\(grandchild)/cmdline")?.isEmpty == false {
            usleep(10_000)
            left -= 1
        }
        #expect(left > 0)
    }

    @Test func itIsGivenTheTimeToEndByItself() throws {
        let program = try PipedProcess(command("read line; exit 4"))
        program.input.close()
        let ending = program.child.end(patience: 500)
        #expect(!ending.wasKilled && ending.words == " with status 4")
    }

    @Test func whatCannotBeStartedSaysWhy() {
        let failure = #expect(throws: ChildProcess.StartFailure.self) {
            try ChildProcess(ChildProcess.Command(["/nonexistent/program"], environment: []), [nil, nil, nil])
        }
        #expect(failure?.code == ENOENT)
        // Looked for in the folder that we are in, and nowhere else, unless that is asked for.
        #expect(throws: ChildProcess.StartFailure.self) {
            try ChildProcess(ChildProcess.Command(["true"], environment: []), [nil, nil, nil])
        }
        var found = ChildProcess.Command(["true"], environment: [])
        found.isOnPath = true
        #expect(throws: Never.self) { try ChildProcess(found, [nil, nil, nil]).wait() }
    }
}
