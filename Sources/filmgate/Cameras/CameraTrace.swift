import ArgumentParser
import FileKit
import FilmgateCore
import Glibc
import PTPKit

/// `--trace`, for verbs that speak with cameras.
struct TraceOptions: ParsableArguments {
    @Option(
        defaultAsFlag: "-",
        help: ArgumentHelp(
            "Show everything that is said with cameras, with the first bytes of the data: on stderr, or in this file. Keys are masked.",
            valueName: "file"), completion: .file())
    var trace: String?
}

/// Where a trace goes, line by line.
final class CameraTrace: Sendable {
    private static let title = "filmgate camera trace"
    private let write: @Sendable (String) -> Void

    /// `-` is stderr, of whoever the verb's words go to.
    ///
    /// A file that is something else than an earlier trace is refused: it may be a pipeline that was taken for the
    /// option's value.
    init(_ target: String, _ invocation: Invocation) throws(IngestError) {
        guard target != "-" else {
            let console = invocation.console
            write = { lines in console.err(lines) }
            return
        }
        let path = invocation.paths.absolute(target), file = try TraceFile(path, title: Self.title)
        write = { file.add($0) }
    }

    /// Hears one connection.
    ///
    /// What must not be shown is asked for here, when we have made ourselves known to the camera.
    func observer(at address: String, state: String) -> LinkTrace {
        var secrets = LinkTrace.Secrets(operations: Modules.confidentialOperations)
        if let identity = IdentityFile.known(state) { secrets.words = [identity.guid] }
        return LinkTrace(address, secrets: secrets, to: write)
    }
}

/// The file that a trace is written to; it can be looked at while it grows.
private final class TraceFile: Sendable {
    private let descriptor: CInt

    init(_ path: String, title: String) throws(IngestError) {
        descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw IngestError(
                .misconfigured, "--trace: \(path) cannot be written: \(String(cString: strerror(errno))).")
        }
        var head = [UInt8](repeating: 0, count: title.utf8.count)
        // A pipe or a terminal has nothing that could be lost.
        let count = pread(descriptor, &head, head.count, 0), isFile = try FileFacts.of(path)?.kind == .regular
        guard !isFile || count == 0 || head.elementsEqual(title.utf8) else {
            throw IngestError(
                .misconfigured, "--trace: \(path) is there and is no trace.",
                advice: "Name a new file behind --trace, or put --trace at the end of the command for stderr.")
        }
        add(title + ", times in UTC")
    }

    deinit { close(descriptor) }

    /// Written whole by one call, so that lines of two cameras do not mix; a full disk ends no import.
    func add(_ lines: String) {
        let bytes = Array((lines + "\n").utf8)
        _ = Glibc.write(descriptor, bytes, bytes.count)
    }
}
