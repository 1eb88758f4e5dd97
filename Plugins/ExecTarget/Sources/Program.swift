import FilmgateCore
import Glibc

/// One run of a program: no shell, nothing inherited but its own environment, ended with everything it started.
struct Program: Sendable {
    struct Ending: Sendable {
        /// As a shell counts: 128 + signal when it was killed.
        var status: Int
        /// The ends of what it wrote, 64 KiB each.
        var output: String, errors: String
    }
    var words: [String], environment: [String: String], timeout: Duration

    static func isExecutable(_ path: String) -> Bool { access(path, X_OK) == 0 }

    /// Blocks until it has ended.
    ///
    /// `cancelled` when stopped, `unavailable` when it took too long.
    func run(_ stop: StopFlag) throws(IngestError) -> Ending {
        let program: PipedProcess
        do throws(ChildProcess.StartFailure) {
            program = try PipedProcess(command, isFed: false, unless: { stop.isRaised })
        } catch {
            if error.isOutOfFiles {
                throw IngestError(
                    .unexpected, "\(words[0]) was not started: no more files can be opened.",
                    advice: "Raise the limit: ulimit -n.")
            }
            return Ending(status: 127, output: "", errors: error.reason)
        }
        var output: [UInt8] = [], errors: [UInt8] = [], nothing: ArraySlice<UInt8> = []
        func listen(within milliseconds: CInt) {
            program.exchange(&nothing, within: milliseconds) { stream, bytes in
                if stream == .output { Self.keep(bytes, &output) } else { Self.keep(bytes, &errors) }
            }
        }
        let end = ContinuousClock.now + timeout
        while !program.child.isOver {
            listen(within: 50)
            // Nobody can see how far it is: its own limit says how long it may take.
            ProgressSignal.current?.note()
            guard !stop.isRaised, ContinuousClock.now < end else {
                program.child.end()
                throw stop.isRaised
                    ? IngestError(.cancelled, "Stopped while \(words[0]) was running.")
                    : IngestError(.unavailable, "\(words[0]) took longer than \(timeout.shown ?? "").")
            }
        }
        // What it left running ends with it.
        let ending = program.child.end()
        listen(within: 0)
        let status = Int(ending.signal == 0 ? ending.code : 128 + ending.signal)
        return Ending(
            status: status, output: String(decoding: output, as: UTF8.self),
            errors: String(decoding: errors, as: UTF8.self))
    }

    private static func keep(_ part: ArraySlice<UInt8>, _ bytes: inout [UInt8]) {
        bytes += part
        if bytes.count > 65_536 { bytes.removeFirst(bytes.count - 65_536) }
    }

    private var command: ChildProcess.Command {
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        let home = getenv("HOME").map { String(cString: $0) } ?? "/"
        let given = environment.merging(["PATH": path, "HOME": home]) { first, _ in first }
        return ChildProcess.Command(words, environment: given.map { "\($0.key)=\($0.value)" })
    }
}
