import Foundation
import TestThreads
import Testing

/// `make outage` with a short card.
@Suite(.ownThreads) struct OutageTests {
    @Test func anOutageWithARestartLosesNothingAndDoublesNothing() throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Scenarios/Outage/outage.py").path
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", script, "--filmgate", Program.path, "--frames", "120"]
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text)")
    }
}
