import FileKit
import FilmgateCore
import FilmgateEngine
import FilmgateLedger
import Glibc
import Logging
import Synchronization

/// Listens in the state directory while a run goes on: other `filmgate` processes of the same user watch it there, and
/// hand their jobs over, since the state is this run's: their verbs are run in here, with their words sent back.
final class ControlServer: Sendable {
    /// What the run lends to the jobs, and what it does after each.
    struct HostServices: Sendable {
        let ledger: SQLiteLedger, liveStatus: LiveStatus, leases: DeliveryLeases
        let changes: RunChanges, switching: EventSwitch
        let tidy: @Sendable () async -> Void
    }
    /// Who may ask at once, and who of them may watch; each takes a thread.
    private static let most = 32, mostWatching = 8
    /// After how many seconds without a change those who watch are told that the run is there.
    private static let pause = Duration.seconds(5)
    /// Microseconds in which changes are gathered before they are sent.
    private static let gathering: UInt32 = 50_000
    private let listener: LocalListener, state: String, logger: Logger
    private let services: HostServices?
    let changes: RunChanges
    /// Told of pictures that somebody marked; nil: of more than were named.
    private let marked: @Sendable (Set<String>?) async -> Void
    private var feed: ChangeFeed { changes.feed }
    private let clients = Atomic(0), watching = Atomic(0)
    private struct Jobs { var running: [Int: Job] = [:], last = 0, isOver = false }
    private struct Job {
        let stopping: JobStop, task: Task<Void, Never>
        func stop() { if !stopping.ask() { task.cancel() } }
    }
    private let jobs = Mutex(Jobs())
    /// Which file the socket is: another run may have put its own there since.
    private let own: FileFacts?

    /// Without `services` it takes no jobs, and only tells how the run fares.
    ///
    /// Nil when the socket cannot be made; the run goes on without it.
    init?(
        state: String, _ services: HostServices?, _ changes: RunChanges, logger: Logger,
        marked: @escaping @Sendable (Set<String>?) async -> Void = { _ in }
    ) {
        (self.state, self.services, self.changes, self.logger, self.marked) = (state, services, changes, logger, marked)
        // The state's lock is ours: what lies there is left from a run that was killed.
        unlink(state + "/" + ControlPath.name)
        do throws(LocalListener.Failure) {
            listener = try LocalListener(path: { descriptor in
                // The socket's own mode becomes its file's. A umask would be the whole process's, also for what is
                // written meanwhile.
                fchmod(descriptor, 0o600) == 0 && ControlPath.withAddress(in: state) { bind(descriptor, $0, $1) } == 0
            })
        } catch {
            logger.warning("Other commands cannot reach this run: the control socket cannot be made.")
            return nil
        }
        own = try? FileFacts.of(state + "/" + ControlPath.name)
    }

    func start() {
        listener.open { client in
            let stream = LineStream(owning: client)
            guard Self.isOurs(client) else { return }
            guard self.clients.load(ordering: .relaxed) < Self.most else {
                stream.send(
                    ControlAnswer.err("The run is busy with \(Self.most) other commands: try again in a moment."))
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
        feed.end()
        let path = state + "/" + ControlPath.name
        if let own, let now = try? FileFacts.of(path), now.inode == own.inode, now.device == own.device { unlink(path) }
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
            if let watch = WatchRequest(line) {
                tell(watch, stream)
                return false
            }
            if let notice = MarkNotice(line) {
                look(at: notice, stream)
                return false
            }
            if let question = UpcomingQuestion(line) {
                answer(question, stream)
                return false
            }
            guard let request = ControlRequest(line) else { return false }
            guard let services else {
                // Whoever has a job is told by being left that none are taken here.
                guard request.arguments == LiveQuestion.words else { return false }
                let board = changes.liveStatus.now.json.finished
                stream.send(
                    [ControlAnswer.here, ControlAnswer.out(board), ControlAnswer.exit(0)].joined(separator: "\n"))
                return false
            }
            // Whoever has a job is told by being left that none are taken any more.
            guard let job = begin(request, services, stream) else { return false }
            // While the job runs, the only thing that the other side has to say is that it is gone.
            stream.lines { _ in true }
            job.stop()
            return false
        }
    }

    private func begin(_ request: ControlRequest, _ services: HostServices, _ stream: LineStream) -> Job? {
        begin { stop in
            // Whoever hears nothing does the job itself, or waits for the next run.
            if stream.send(ControlAnswer.here) { await self.run(request, services, stop, for: stream) }
        }
    }

    /// Nil where the run ends, and takes no more of them.
    private func begin(_ body: @escaping @Sendable (JobStop) async -> Void) -> Job? {
        jobs.withLock { jobs in
            if jobs.isOver { return nil }
            jobs.last += 1
            let number = jobs.last, stopping = JobStop()
            let task = Task {
                await body(stopping)
                self.jobs.withLock { $0.running[number] = nil }
            }
            let job = Job(stopping: stopping, task: task)
            jobs.running[number] = job
            return job
        }
    }

    /// Sends what waits, as if somebody had asked for it; only those who watch the run hear of it.
    func retry() async {
        guard let services else { return }
        let job = begin { stop in
            let hosted = HostedJob(services: services, stop: stop, isAskedFor: false)
            let invocation = Invocation(console: Console { _ in }, paths: UserPath(from: "/"), job: hosted)
            _ = await Filmgate.carryOut(["retry", "--state", self.state], invocation)
        }
        await withTaskCancellationHandler {
            await job?.task.value
        } onCancel: {
            job?.stop()
        }
    }

    /// As `stop`, and has the jobs finish what is in flight, as after Ctrl-C; returns when they have.
    ///
    /// Before their ledger is closed.
    func end() async {
        stop()
        let running = jobs.withLock { jobs in
            jobs.isOver = true
            return Array(jobs.running.values)
        }
        for job in running { job.stop() }
        for job in running { await job.task.value }
    }

    /// Answers when the run has looked at the marks.
    private func look(at notice: MarkNotice, _ stream: LineStream) {
        let looking = Task {
            await marked(notice.sha256s)
            changes.noteMarks()
            stream.send(ControlAnswer.here)
            stream.hangUp()
        }
        stream.lines { _ in true }
        looking.cancel()
    }

    /// Says what is still to be read, or shows one of it: that waits for the camera as long as somebody asks.
    private func answer(_ question: UpcomingQuestion, _ stream: LineStream) {
        let asking = Task { [upcoming = changes.upcoming] in
            stream.send(await question.answer(upcoming))
            stream.hangUp()
        }
        stream.lines { _ in true }
        asking.cancel()
    }

    /// Tells of changes until either side ends.
    private func tell(_ request: WatchRequest, _ stream: LineStream) {
        defer { watching.subtract(1, ordering: .relaxed) }
        guard watching.add(1, ordering: .relaxed).newValue <= Self.mostWatching else { return }
        let last = feed.begin(), isKnown = request.instance == feed.instance && request.since <= last
        var number = isKnown ? request.since : last
        var isThere = stream.send(WatchAnswer.hello(instance: feed.instance, number: number, isGap: !isKnown).line)
        while isThere, let part = feed.next(after: number, patience: Self.pause) {
            var lines = part.changes.compactMap { change in
                change.value.text.map {
                    WatchAnswer.change(number: change.number, at: change.at, key: change.key, value: $0).line
                }
            }
            if part.isGap { lines = [WatchAnswer.gap(number: part.upTo).line] }
            if lines.isEmpty { lines = [WatchAnswer.alive.line] }
            isThere = stream.send(lines.joined(separator: "\n"))
            number = part.upTo
            if !part.isMore { usleep(Self.gathering) }
        }
        // What was sent is still read on the other side.
        stream.hangUp()
    }

    private func run(
        _ request: ControlRequest, _ services: HostServices, _ stop: JobStop, for stream: LineStream
    ) async {
        let queue = OutputQueue(stream)
        let console = Console { line in
            switch line {
            case .out(let text): queue.add(ControlAnswer.out(text))
            case .err(let text): queue.add(ControlAnswer.err(text))
            }
        }
        // Those who watch ask every second.
        if !request.arguments.contains("--board") { logger.info("control: \(request.arguments.first ?? "")") }
        let invocation = Invocation(
            console: console, paths: UserPath(from: request.folder), input: request.input,
            job: HostedJob(services: services, stop: stop, isAskedFor: true))
        let code = await Filmgate.carryOut(request.arguments, invocation)
        if !request.arguments.contains("--board") { await services.tidy() }
        await queue.end(ControlAnswer.exit(code))
    }
}
