import Foundation
import TestThreads
import Testing

@testable import filmgate

/// What is typed where nothing is shown.
@Suite(.ownThreads) struct HiddenLineTests {
    private func typed(_ keys: String) -> HiddenLine {
        var line = HiddenLine()
        for byte in keys.utf8 where line.state == .open { line.take(byte) }
        return line
    }

    @Test(arguments: [
        ("secret\n", "secret"), ("sex\u{7F}cret\r", "secret"), ("wrong\u{15}right\n", "right"),
        ("grüße\u{08}\u{08}n\u{04}", "grün"), ("\u{7F}a\n", "a"), ("a\tb\u{1B}\n", "ab"),
    ])
    func keysAreLineEditing(keys: String, text: String) {
        let line = typed(keys)
        #expect(line.state == .done && !line.isEnd)
        #expect(String(decoding: line.bytes, as: UTF8.self) == text)
    }

    @Test func theEndAndAnInterruptAreNoAnswers() {
        #expect(typed("\u{04}").isEnd)
        #expect(typed("half\u{03}").state == .interrupted)
        #expect(typed("half").state == .open)
    }

    /// Ctrl-C at a prompt, in a real terminal.
    @Test func theTerminalShowsAgainWhatIsTyped() throws {
        let table = try Table()
        let script = """
            import os, pty, sys, termios, time
            child, terminal = pty.fork()
            if child == 0:
                os.execv(sys.argv[1], [sys.argv[1], "login", "--protect", "--state", sys.argv[2]])
            def shows(): return termios.tcgetattr(terminal)[3] & termios.ECHO != 0
            said = b""
            while b"passphrase: " not in said:
                said += os.read(terminal, 1024)
            while shows():
                time.sleep(0.01)
            os.write(terminal, b"half\\x03")
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            print(shows(), code in (-2, 130), b"half" in said)
            """
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script, Program.path, table.state]
        process.standardOutput = output
        try process.run()
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(said == "True True False\n")
    }
}
