import Foundation
import Testing

/// The built program, run as a user runs it.
struct Program {
    struct Outcome {
        var status: Int32, output: String, errors: String
        /// The JSON Lines of stdout.
        var objects: [[String: Any]] {
            output.split(separator: "\n").compactMap {
                try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
            }
        }
        func items(_ type: String = "item") -> [[String: Any]] { objects.filter { $0["type"] as? String == type } }
        var summary: [String: Any] { items("summary").last ?? [:] }
        func count(_ bucket: String) -> Int { summary[bucket] as? Int ?? -1 }
    }

    /// Beside the test bundle in the build folder.
    static let path: String = {
        let bundle =
            Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
            ?? URL(fileURLWithPath: CommandLine.arguments[0])
        return bundle.deletingLastPathComponent().appendingPathComponent("filmgate").path
    }()

    /// Runs to the end; ten minutes at most.
    ///
    /// `input`: what it reads.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], in folder: String? = nil, input: String? = nil
    ) throws -> Outcome {
        let process = Process(), output = Pipe(), errors = Pipe()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        (process.standardOutput, process.standardError) = (output, errors)
        process.standardInput = FileHandle.nullDevice
        if let input {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("input-\(UUID().uuidString)")
            try Data(input.utf8).write(to: file)
            process.standardInput = try FileHandle(forReadingFrom: file)
            try FileManager.default.removeItem(at: file)
        }
        let reader = ErrorReader(errors)
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus, output: String(decoding: text, as: UTF8.self), errors: reader.text())
    }
}

/// Empties a pipe beside the main reader, so that neither side waits for the other.
final class ErrorReader: @unchecked Sendable {
    private let done = DispatchSemaphore(value: 0)
    // Written before `done` is signalled and read after it was waited for.
    private var data = Data()

    init(_ pipe: Pipe) {
        let handle = pipe.fileHandleForReading
        DispatchQueue(label: "beside").async {
            self.data = handle.readDataToEndOfFile()
            self.done.signal()
        }
    }

    func text() -> String {
        done.wait()
        done.signal()
        return String(decoding: data, as: UTF8.self)
    }
}
