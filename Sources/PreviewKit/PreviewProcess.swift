import FilmgateCore
import Glibc
import PreviewWire

/// The process that decodes pictures, and the socket to it.
///
/// Its end, however it comes, is an error of whoever was asking, and nothing else. Blocks; used by one thread at a
/// time, except `end`.
final class PreviewProcess: Sendable {
    private let stream: PreviewStream, child: ChildProcess

    /// Seconds for which it may say nothing: it gets only the time that nobody else wants.
    static let patience = 30
    private static let part = 1 << 20

    /// `unavailable` when it cannot be started.
    init(program: String, arguments: [String] = [], patience: Int = patience) throws(IngestError) {
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            throw IngestError(.unavailable, "No socket for filmgate-previews: \(String(cString: strerror(errno))).")
        }
        stream = PreviewStream(pair[0], patience: patience)
        defer { close(pair[1]) }
        do throws(ChildProcess.StartFailure) {
            child = try ChildProcess(.init([program] + arguments, environment: Self.environment), [pair[1], nil, nil])
        } catch {
            throw IngestError(.unavailable, "filmgate-previews cannot be started: \(error.reason).")
        }
    }

    deinit { end() }

    /// The picture that it makes of a JPEG, which `read` gives part by part; nil with the outcome that says why there
    /// is none.
    ///
    /// `corruptData` when the JPEG ended the process, `unavailable` when it says nothing: then this process is of no
    /// more use.
    func make(
        _ request: PreviewRequest, _ read: (_ offset: Int, _ count: Int) throws(IngestError) -> [UInt8]
    ) throws(IngestError) -> (reply: PreviewReply, jpeg: [UInt8]) {
        do throws(PreviewStream.Failure) {
            try stream.send(request.encoded)
            try send(request.length, read)
            let reply = try PreviewReply(try stream.receive(PreviewReply.size))
            return (reply, try stream.receive(reply.length))
        } catch { throw over(error) }
    }

    /// What cannot be read any more is zeros: so much was promised, and a part can be shown.
    private func send(
        _ length: Int, _ read: (Int, Int) throws(IngestError) -> [UInt8]
    ) throws(PreviewStream.Failure) {
        for offset in stride(from: 0, to: length, by: Self.part) {
            let wanted = min(Self.part, length - offset)
            let result = Result { () throws(IngestError) in try read(offset, wanted) }
            var bytes = (try? result.get()) ?? []
            if bytes.count < wanted { bytes += [UInt8](repeating: 0, count: wanted - bytes.count) }
            try stream.send(bytes)
        }
    }

    private func over(_ failure: PreviewStream.Failure) -> IngestError {
        let ending = child.end(patience: failure == .ended ? 100 : 0)
        switch failure {
        case .ended where ending.signal == 0 && ending.code == 127:
            // What the loader says when a library is missing.
            return IngestError(
                .unavailable, "filmgate-previews does not start.", advice: "Install libturbojpeg0 and libheif1.")
        case .ended:
            return IngestError(
                .corruptData, "This picture cannot be decoded: the process that tried ended\(ending.words).")
        case .malformed:
            return IngestError(.corruptData, "This picture cannot be decoded: what came of it is no picture.")
        case .timedOut:
            return IngestError(
                .unavailable, "There was no time for this picture.",
                advice: "Ask again when this machine has less to do.")
        }
    }

    var isOver: Bool { child.isOver }

    /// Safe to call twice, and from any thread: whoever is asking fails.
    func end() {
        stream.shut()
        child.end()
    }

    /// Nothing secret: where its library is.
    private static var environment: [String] {
        ["PATH", "LD_LIBRARY_PATH"].compactMap { (name: String) in
            getenv(name).map { "\(name)=\(String(cString: $0))" }
        }
    }
}
