import Foundation
import Testing

/// A `filmgate` that goes on beside the test: a virtual camera, a run.
///
/// Stopped at the latest when it is let go of.
final class Background {
    let process = Process()
    private let output = Pipe(), errors = Pipe()
    private let reader: OutputReader, complaints: ErrorReader

    /// Everything on stdout so far.
    var said: String { reader.text() }

    init(_ arguments: [String], environment: [String: String] = [:], in folder: String? = nil) throws {
        process.executableURL = URL(fileURLWithPath: Program.path)
        process.arguments = arguments
        if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        (process.standardOutput, process.standardError, process.standardInput) = (output, errors, FileHandle.nullDevice)
        (reader, complaints) = (OutputReader(output), ErrorReader(errors))
        try process.run()
    }

    deinit { kill(SIGKILL) }

    /// Sends a signal and waits for the end.
    @discardableResult func kill(_ signal: Int32) -> Program.Outcome {
        if process.isRunning { Glibc.kill(process.processIdentifier, signal) }
        process.waitUntilExit()
        return Program.Outcome(
            status: process.terminationStatus, output: reader.text(toEnd: true), errors: complaints.text())
    }

    /// The first line of stdout that begins so; nil when it does not come.
    func line(_ beginning: String) -> String? {
        var found: String?
        _ = Background.within(seconds: 30) {
            found = self.said.split(separator: "\n").first { $0.hasPrefix(beginning) }.map(String.init)
            return found != nil
        }
        return found
    }

    /// Asks every 30 ms; false when `condition` never came true.
    static func within(seconds: Double, _ condition: () throws -> Bool) rethrows -> Bool {
        let end = Date().addingTimeInterval(seconds)
        while Date() < end {
            if try condition() { return true }
            Thread.sleep(forTimeInterval: 0.03)
        }
        return try condition()
    }

    /// A virtual camera on a free port.
    static func camera(_ make: String, _ folder: String, _ more: [String] = []) throws -> (
        camera: Background, port: String
    ) {
        let camera = try Background(["camera", "simulate", "--make", make, "--port", "0", "--files", folder] + more)
        let line = try #require(camera.line("camera: "))
        return (camera, try #require(line.split(separator: ":").last.map(String.init)))
    }
}

/// Collects what a process says while it goes on.
final class OutputReader: @unchecked Sendable {
    private let lock = NSLock(), done = DispatchSemaphore(value: 0)
    // Guarded by `lock`.
    private var data = Data()

    init(_ pipe: Pipe) {
        let handle = pipe.fileHandleForReading
        DispatchQueue(label: "beside").async {
            while true {
                let more = handle.availableData
                if more.isEmpty { break }
                self.lock.withLock { self.data += more }
            }
            self.done.signal()
        }
    }

    func text(toEnd: Bool = false) -> String {
        if toEnd {
            done.wait()
            done.signal()
        }
        return lock.withLock { String(decoding: data, as: UTF8.self) }
    }
}
