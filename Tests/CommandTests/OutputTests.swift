import Foundation
import TestThreads
import Testing

/// What cannot be written to stdout must not pass for complete.
@Suite(.ownThreads, .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"))) struct OutputTests {
    /// The program in a shell's hands, such as `"$0" "$@" > /dev/full`.
    private func shell(_ line: String, _ words: [String]) throws -> Program.Outcome {
        let process = Process(), output = Pipe(), errors = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", line, Program.path] + words
        (process.standardOutput, process.standardError, process.standardInput) = (output, errors, FileHandle.nullDevice)
        let reader = ErrorReader(errors)
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Program.Outcome(
            status: process.terminationStatus, output: String(decoding: text, as: UTF8.self), errors: reader.text())
    }

    private func expectFull(_ words: [String]) throws {
        let outcome = try shell("\"$0\" \"$@\" > /dev/full", words)
        #expect(outcome.status == 7, "\(words): \(outcome.errors)")
        #expect(
            outcome.errors.components(separatedBy: "Cannot write to stdout: No space left on device").count == 2,
            "\(outcome.errors)")
    }

    @Test(arguments: [
        ["schema"], ["--help"], ["import", "--help"], ["modules"], ["modules", "--json"], ["--version"],
    ])
    func aFullDiskEndsWithSeven(_ words: [String]) throws { try expectFull(words) }

    @Test func anImportGoesOnToItsEnd() throws {
        let table = try Table()
        try table.sampleCard()
        try expectFull(["import", table.card, "--to", table.archive, "--state", table.state, "--json"])
        #expect(table.files(table.archive).count == 16)
        for words in [["history", "--json"], ["status"], ["inspect", table.card, "--json"]] {
            try expectFull(words + ["--state", table.state])
        }
        #expect(try table.importing().count("delivered") == 0)
    }

    /// What went wrong by itself is what the exit code says.
    @Test func anotherCodeStays() throws {
        #expect(try shell("\"$0\" \"$@\" > /dev/full", ["imprt", "--json"]).status == 2)
    }

    @Test func whoReadsNoFurtherHasWhatHeWants() throws {
        let outcome = try shell("\"$0\" \"$@\" | head -c 1 > /dev/null; exit ${PIPESTATUS[0]}", ["schema"])
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(try shell("\"$0\" \"$@\" >&-", ["schema"]).status == 1)
    }
}
