import FilmgateCore
import Glibc
import Synchronization

/// Carries out what the page asks for with the very commands of this program, each as a process of its own.
///
/// While a run holds the state the command hands its job over to it, as from a terminal. So there is one way for
/// everything, and what the page may do is what the command line may.
final class JobRunner: Sendable {
    /// The program, and the words that follow the verb's own: where the state is, and that JSON is wanted.
    struct Program: Sendable {
        var path: String, state: String

        func words(_ order: Job.Order) -> [String] {
            // The verb's options follow its name, and everything that people typed comes behind `--` or `=`.
            let verb = order.verb.split(separator: " ").map(String.init)
            return [path] + verb + ["--json", "--state=\(state)"] + order.words
        }
    }

    private struct State {
        var jobs = JobList()
        var children: [String: ChildProcess] = [:], stopped: Set<String> = []
        var whenEnded: [String: @Sendable (Job) -> Void] = [:]
        var isOver = false
    }
    private let state = Mutex(State())
    private let program: Program
    private let tell: @Sendable (Job) -> Void

    /// `tell` is called with each job that changed, a few times a second at most.
    init(_ program: Program, tell: @escaping @Sendable (Job) -> Void) { (self.program, self.tell) = (program, tell) }

    /// Whether as many run as may: whoever asks for more need not gather what it is for.
    func isFull(for grant: String, key: String?) -> Bool {
        state.withLock { $0.isOver || $0.jobs.isFull(for: grant, key: key) }
    }

    var all: [Job] { state.withLock(\.jobs.all) }
    func job(_ id: String) -> Job? { state.withLock { $0.jobs[id] } }

    /// Begins a job in the background, or gives the one that this very request began before.
    func begin(
        _ order: Job.Order, by grant: String, key: String?, whenEnded: (@Sendable (Job) -> Void)? = nil
    ) throws(JobList.Refusal) -> (job: Job, isNew: Bool) {
        let id = String(AccessSecret.random().prefix(16)), now = WallClock.nanoseconds
        let begun = state.withLock { state in
            Result { () throws(JobList.Refusal) in
                guard !state.isOver else { throw .tooMany }
                let begun = try state.jobs.begin(order, id: id, by: grant, key: key, at: now)
                if begun.isNew { state.whenEnded[id] = whenEnded }
                return begun
            }
        }
        let (job, isNew) = try begun.get()
        if isNew {
            tell(job)
            let parts = JobParts(order.input)
            BlockingThread.run { self.run(job, parts) }
        }
        return (job, isNew)
    }

    /// Asks it to finish what is in flight; asked again it ends at once.
    ///
    /// False when it has ended, or is none.
    func stop(_ id: String) -> Bool {
        let child = state.withLock { state in
            guard state.jobs[id]?.state == .running else { return nil as ChildProcess? }
            state.stopped.insert(id)
            return state.children[id]
        }
        child?.interrupt()
        return child != nil || job(id)?.state == .running
    }

    /// Ends all jobs, and begins no more.
    ///
    /// They finish what is in flight, for ten seconds at most; blocks that long.
    func end() {
        let children = state.withLock { state in
            state.isOver = true
            state.stopped.formUnion(state.children.keys)
            return Array(state.children.values)
        }
        for child in children { child.interrupt() }
        for _ in 0..<100 where state.withLock({ !$0.children.isEmpty }) { usleep(100_000) }
        for child in state.withLock({ Array($0.children.values) }) { child.kill() }
    }

    /// After these exit codes the next part may do better: files were set aside, are not proven or wait for somebody,
    /// or one target of several is full.
    private static let going: Set<Int> = [0, 3, 4, 5, 6, 7, 8, 9]

    /// From beginning to end, on a thread of its own.
    private func run(_ job: Job, _ parts: JobParts) {
        guard let first = carryOut(job, parts.next()) else { return }
        var last = first, worst = first
        while parts.count > 0, Self.going.contains(last), !isStopped(job.id) {
            guard let code = carryOut(job, parts.next()) else { return }
            (last, worst) = (code, Job.worse(worst, code))
        }
        if parts.count > 0 {
            let begun = parts.whole - parts.count
            let left = "\(begun) of \(parts.whole) parts were begun; ask again for the rest."
            _ = state.withLock { state in state.jobs.change(job.id) { $0.hear(words: left) } }
        }
        end(job.id, worst)
    }

    private func isStopped(_ id: String) -> Bool { state.withLock { $0.stopped.contains(id) || $0.isOver } }

    /// Returns how the command ended; nil where it could not be started, which is told.
    private func carryOut(_ job: Job, _ input: [UInt8]?) -> Int? {
        let started: (child: ChildProcess, reader: JobReader)
        do throws(JobReader.StartFailure) {
            started = try JobReader.start(program.words(job.order), input)
        } catch {
            fail(job.id, "The command could not be started: \(error.reason).")
            return nil
        }
        let child = started.child
        let isStopped = state.withLock { state in
            state.children[job.id] = child
            return state.stopped.contains(job.id) || state.isOver
        }
        if isStopped { child.interrupt() }
        started.reader.read { words in self.hear(words, job.id) }
        let ending = child.wait()
        state.withLock { $0.children[job.id] = nil }
        return ending.signal == 0 ? Int(ending.code) : 128 + Int(ending.signal)
    }

    private func hear(_ said: JobReader.Said, _ id: String) {
        let job = state.withLock { state in
            state.jobs.change(id) { job in
                for line in said.objects { job.hear(object: line) }
                for line in said.words { job.hear(words: line) }
            }
        }
        if let job { tell(job) }
    }

    private func fail(_ id: String, _ reason: String) {
        _ = state.withLock { state in state.jobs.change(id) { $0.hear(words: reason) } }
        end(id, 1)
    }

    private func end(_ id: String, _ code: Int) {
        let (job, call) = state.withLock { state in
            state.children[id] = nil
            let wasStopped = state.stopped.remove(id) != nil
            let job = state.jobs.change(id) { $0.end(code, wasStopped: wasStopped, at: WallClock.nanoseconds) }
            // Whoever waits for its end is told with it.
            _ = state.jobs.change(id) { $0.forgetProof() }
            return (job, state.whenEnded.removeValue(forKey: id))
        }
        guard let job else { return }
        call?(job)
        tell(job)
    }
}
