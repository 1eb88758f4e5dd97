import FilmgateCore
import FilmgateEngine
import FilmgateExternal
import Synchronization

extension HookNotifier {
    /// For a run; nobody is told of a dry one.
    convenience init(_ pipelines: [PipelineFile], _ options: RunOptions, _ context: CommandContext) {
        let all = options.dryRun ? [] : pipelines.flatMap(\.hooks).map(\.hook)
        self.init(
            Hook.distinct(all), pipeline: pipelines.first?.name, event: options.event, secrets: context.secrets,
            logger: context.options.logger)
    }

    /// Nobody is told that a job begins or ends that a run does by itself, as often as it takes.
    private var tellsOfRun: Bool { HostedJob.output?.isAskedFor ?? true }

    func started(_ verb: String, targets: [String]) { if tellsOfRun { runStarted(verb, targets: targets) } }

    /// Waits a while until all are told.
    func ended(_ verb: String, _ summary: RunSummary, _ code: ExitStatus) async {
        if tellsOfRun { runEnded(verb, summary, exit: Int(code.rawValue)) }
        await finish()
    }

    /// The run broke off; waits a while until all are told.
    func failed(_ verb: String, _ error: IngestError) async {
        if tellsOfRun {
            runFailed(verb, AddressMask.hidden(error.message), exit: Int(Failure.exitCode(error).rawValue))
        }
        await finish()
    }
}

/// The hooks of a run without an end: those of the pipeline as it is now, which may be reloaded.
final class NoticeRelay: Sendable {
    private let notifier = Mutex<HookNotifier?>(nil)

    /// For `EventHub.watch`.
    @Sendable func note(_ runEvent: RunEvent) { notifier.withLock { $0 }?.note(runEvent) }

    /// From now on these hooks are told; the ones before are given time for what they were told last.
    func take(_ next: HookNotifier, _ verb: String, targets: [String]) {
        let before = notifier.withLock { notifier in
            defer { notifier = next }
            return notifier
        }
        if let before { Task.detached { await before.finish() } } else { next.runStarted(verb, targets: targets) }
    }

    func end(_ verb: String, _ summary: RunSummary, _ code: ExitStatus) async {
        await notifier.withLock { $0 }?.ended(verb, summary, code)
    }

    func failed(_ verb: String, _ error: IngestError) async { await notifier.withLock { $0 }?.failed(verb, error) }
}

extension Hook {
    /// Who is told, of what, and how the other side knows that it is true.
    private struct Identity: Hashable {
        var kind: String, words: [String], on: Set<HookMoment>
        var secret: Secret.Reference, authorities: String? = nil
    }

    private var identity: Identity {
        switch self {
        case .exec(let hook): Identity(kind: "exec", words: hook.command, on: on, secret: .none)
        case .webhook(let hook):
            Identity(
                kind: "webhook", words: [hook.url], on: on, secret: hook.secret.reference, authorities: hook.caFile)
        }
    }

    /// Each hook once: `retry` goes on with several pipelines, which often have the same ones.
    ///
    /// One program may be a hook several times, each of other moments.
    static func distinct(_ hooks: [Hook]) -> [Hook] {
        var known: Set<Identity> = []
        return hooks.filter { known.insert($0.identity).inserted }
    }
}

extension SignIn {
    /// Tells the hooks of its pipeline, and waits for them a while.
    func tell(_ context: CommandContext, _ what: (HookNotifier) -> Void) async {
        guard !hooks.isEmpty else { return }
        let notifier = HookNotifier(
            hooks, pipeline: pipeline, event: nil, secrets: context.secrets, logger: context.options.logger)
        what(notifier)
        await notifier.finish()
    }
}
