import Dispatch
import FilmgateCore
import FilmgateLedger
import Foundation
import Glibc
import Logging

/// Listens in the state directory while a run goes on, and does what other `filmgate` processes of the same user ask for: the state is
/// this run's, so their verbs are run in here, with their words sent back.
final class ControlServer: Sendable {
    private let descriptor: Int32, state: String, logger: Logger
    private let ledger: SQLiteLedger, board: LiveBoard

    /// Nil when the socket cannot be made; the run goes on without it.
    init?(state: String, ledger: SQLiteLedger, board: LiveBoard, logger: Logger) {
        (self.state, self.ledger, self.board, self.logger) = (state, ledger, board, logger)
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        // The state's lock is ours: what lies there is left from a run that was killed.
        unlink(state + "/" + ControlPath.name)
        let mask = umask(0o177)
        let bound = ControlPath.withAddress(in: state) { bind(descriptor, $0, $1) }
        umask(mask)
        guard bound == 0, listen(descriptor, 16) == 0 else {
            logger.warning("No other filmgate can speak to this run: the control socket cannot be made.")
            close(descriptor)
            return nil
        }
    }

    func start() {
        let descriptor = descriptor
        DispatchQueue(label: "filmgate.control").async {
            while true {
                let client = accept(descriptor, nil, nil)
                if client < 0, errno == EINTR || errno == ECONNABORTED { continue }
                guard client >= 0 else { return }
                let stream = LineStream(owning: client)
                guard Self.isOurs(client) else { continue }
                DispatchQueue.global().async { self.serve(stream) }
            }
        }
    }

    func stop() {
        unlink(state + "/" + ControlPath.name)
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    /// The same user, or root.
    private static func isOurs(_ client: Int32) -> Bool {
        // struct ucred: process, user, group.
        var peer: [UInt32] = [0, UInt32.max, 0], size = socklen_t(12)
        guard getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 else { return false }
        return peer[1] == getuid() || peer[1] == 0
    }

    private func serve(_ stream: LineStream) {
        stream.lines { line in
            guard let request = ControlRequest(line) else { return false }
            let job = Task { await self.run(request, for: stream) }
            // While the job runs, the only thing that the other side has to say is that it is gone.
            stream.lines { _ in true }
            job.cancel()
            return false
        }
    }

    private func run(_ request: ControlRequest, for stream: LineStream) async {
        let audience = Audience { word in
            switch word {
            case .out(let line): stream.send(ControlAnswer.out(line))
            case .err(let line): stream.send(ControlAnswer.err(line))
            }
        }
        // Those who watch ask every second.
        if !request.arguments.contains("--board") { logger.info("control: \(request.arguments.first ?? "")") }
        let code = await Living.$ledger.withValue(ledger) {
            await Living.$audience.withValue(audience) {
                await Living.$board.withValue(board) {
                    await Living.$folder.withValue(request.folder) { await Filmgate.carryOut(request.arguments) }
                }
            }
        }
        stream.send(ControlAnswer.exit(code))
        stream.hangUp()
    }
}

/// What is asked: a command line, and the folder that its paths start from.
struct ControlRequest: Sendable {
    var arguments: [String], folder: String

    init(arguments: [String], folder: String) { (self.arguments, self.folder) = (arguments, folder) }

    init?(_ line: String) {
        guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
            let arguments = object["arguments"] as? [String], let folder = object["folder"] as? String, folder.hasPrefix("/")
        else { return nil }
        (self.arguments, self.folder) = (arguments, folder)
    }

    var line: String {
        var object = JSONObject()
        object.add("arguments", arguments)
        object.add("folder", folder)
        return object.finished
    }
}

/// What is answered: words for either stream, then the exit code.
enum ControlAnswer {
    static func out(_ line: String) -> String { one("out", line) }
    static func err(_ line: String) -> String { one("err", line) }

    static func exit(_ code: Int32) -> String {
        var object = JSONObject()
        object.add("exit", Int(code))
        return object.finished
    }

    private static func one(_ key: String, _ line: String) -> String {
        var object = JSONObject()
        object.add(key, line)
        return object.finished
    }
}
