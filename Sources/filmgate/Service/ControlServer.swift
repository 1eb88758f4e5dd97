import FilmgateCore
import FilmgateEngine
import FilmgateLedger
import Glibc
import Logging
import Synchronization

/// Listens in the state directory while a run goes on, and does what other `filmgate` processes of the same user ask for: the state is
/// this run's, so their verbs are run in here, with their words sent back.
final class ControlServer: Sendable {
    /// What the run lends to the jobs, and what it does after each.
    struct HostServices: Sendable {
        let ledger: SQLiteLedger, liveStatus: LiveStatus, leases: DeliveryLeases
        let tidy: @Sendable () async -> Void
    }
    /// Who may ask at once; each takes a thread.
    private static let most = 32
    private let listener: LocalListener, state: String, logger: Logger
    private let services: HostServices
    private let clients = Atomic(0)

    /// Nil when the socket cannot be made; the run goes on without it.
    init?(state: String, _ services: HostServices, logger: Logger) {
        (self.state, self.services, self.logger) = (state, services, logger)
        // The state's lock is ours: what lies there is left from a run that was killed.
        unlink(state + "/" + ControlPath.name)
        do throws(LocalListener.Failure) {
            listener = try LocalListener(path: { descriptor in
                // The socket's own mode becomes its file's. A umask would be the whole process's, also for what is written meanwhile.
                fchmod(descriptor, 0o600) == 0 && ControlPath.withAddress(in: state) { bind(descriptor, $0, $1) } == 0
            })
        } catch {
            logger.warning("Other commands cannot reach this run: the control socket cannot be made.")
            return nil
        }
    }

    func start() {
        listener.open { client in
            let stream = LineStream(owning: client)
            guard Self.isOurs(client) else { return }
            guard self.clients.load(ordering: .relaxed) < Self.most else {
                stream.send(ControlAnswer.err("The run is busy with \(Self.most) other commands: try again in a moment."))
                stream.send(ControlAnswer.exit(ExitStatus.stateLocked.rawValue))
                return
            }
            self.clients.add(1, ordering: .relaxed)
            BlockingThread.run {
                self.serve(stream)
                self.clients.subtract(1, ordering: .relaxed)
            }
        }
    }

    func stop() {
        unlink(state + "/" + ControlPath.name)
        listener.shut()
    }

    /// The same user, or root.
    private static func isOurs(_ client: Int32) -> Bool {
        // struct ucred: process, user, group.
        var peer: [UInt32] = [0, UInt32.max, 0], size = socklen_t(12)
        guard getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 else { return false }
        return peer[1] == getuid() || peer[1] == 0
    }

    private func serve(_ stream: LineStream) {
        stream.lines(within: .seconds(10)) { line in
            guard let request = ControlRequest(line) else { return false }
            guard stream.send(ControlAnswer.here) else { return false }
            let job = Task { await self.run(request, for: stream) }
            // While the job runs, the only thing that the other side has to say is that it is gone.
            stream.lines { _ in true }
            job.cancel()
            return false
        }
    }

    private func run(_ request: ControlRequest, for stream: LineStream) async {
        let queue = OutputQueue(stream)
        let output = JobOutput { word in
            switch word {
            case .out(let line): queue.add(ControlAnswer.out(line))
            case .err(let line): queue.add(ControlAnswer.err(line))
            }
        }
        // Those who watch ask every second.
        if !request.arguments.contains("--board") { logger.info("control: \(request.arguments.first ?? "")") }
        let code = await HostedJob.$ledger.withValue(services.ledger) {
            await HostedJob.$leases.withValue(services.leases) {
                await HostedJob.$output.withValue(output) {
                    await HostedJob.$liveStatus.withValue(services.liveStatus) {
                        await HostedJob.$folder.withValue(request.folder) { await Filmgate.carryOut(request.arguments) }
                    }
                }
            }
        }
        if !request.arguments.contains("--board") { await services.tidy() }
        queue.end(ControlAnswer.exit(code))
    }
}

/// What is asked: a command line, and the folder that its paths start from.
struct ControlRequest: Sendable {
    var arguments: [String], folder: String

    init(arguments: [String], folder: String) { (self.arguments, self.folder) = (arguments, folder) }

    init?(_ line: String) {
        guard let object = JSONValue(Array(line.utf8)), let items = object["arguments"]?.items, let arguments = object["arguments"]?.texts,
            arguments.count == items.count, let folder = object["folder"]?.string, folder.hasPrefix("/")
        else { return nil }
        (self.arguments, self.folder) = (arguments, folder)
    }

    var line: String {
        var object = JSONWriter()
        object.add("arguments", arguments)
        object.add("folder", folder)
        return object.finished
    }
}

/// What is answered: that the job was taken, words for either stream, then the exit code.
enum ControlAnswer {
    static var here: String {
        var object = JSONWriter()
        object.add("here", true)
        return object.finished
    }

    static func out(_ line: String) -> String { one("out", line) }
    static func err(_ line: String) -> String { one("err", line) }

    static func exit(_ code: Int32) -> String {
        var object = JSONWriter()
        object.add("exit", Int(code))
        return object.finished
    }

    private static func one(_ key: String, _ line: String) -> String {
        var object = JSONWriter()
        object.add(key, line)
        return object.finished
    }
}
