import FilmgateCore
import FilmgateEngine
import FilmgateExternal
import Logging
import Synchronization

extension HookNotifier {
    /// For a run; nobody is told of a dry one.
    convenience init(
        _ pipelines: [PipelineFile], _ options: RunOptions, _ context: CommandContext,
        after earlier: Task<Void, Never>? = nil
    ) {
        let all = options.dryRun ? [] : pipelines.flatMap(\.hooks).map(\.hook)
        self.init(
            Hook.distinct(all), pipeline: pipelines.first?.name, event: options.event, secrets: context.secrets,
            logger: HookNotifier.logger(context), after: earlier)
    }

    /// What goes wrong with a hook is said by this process, also in a job: it may take longer than the job's words.
    fileprivate static func logger(_ context: CommandContext) -> Logger { context.options.logger(.own) }

    /// `isAskedFor`: nobody is told that a job begins or ends that a run does by itself, as often as it takes.
    func started(_ verb: String, targets: [String], isAskedFor: Bool = true) {
        if isAskedFor { runStarted(verb, targets: targets) }
    }

    /// Waits a while until all are told.
    func ended(_ verb: String, _ summary: RunSummary, _ code: ExitStatus, isAskedFor: Bool = true) async {
        if isAskedFor { runEnded(verb, summary, exit: Int(code.rawValue)) }
        await finish()
    }

    /// The run broke off; waits a while until all are told.
    func failed(_ verb: String, _ error: IngestError, isAskedFor: Bool = true) async {
        if isAskedFor {
            runFailed(verb, AddressMask.hidden(error.message), exit: Int(Failure.exitCode(error).rawValue))
        }
        await finish()
    }
}

/// The hooks of a process that goes on with one run after the other: those of the pipeline and for the event of now.
final class NoticeRelay: Sendable {
    private struct State {
        var notifier: HookNotifier?
        /// How its run ended; nil while that goes on.
        var ended: Result<RunOutcome, IngestError>?
        /// Tells of the end of the runs before.
        var telling: Task<Void, Never>?
    }
    private let state = Mutex(State())

    /// For `EventHub.watch`.
    @Sendable func note(_ runEvent: RunEvent) { state.withLock(\.notifier)?.note(runEvent) }

    /// A run begins: from now on its hooks are told, first that it does, once those of the one before were told of its
    /// end.
    func begin(_ pipeline: PipelineFile, _ session: RunSession) {
        let verb = session.options.verb, before = state.withLock { $0 }
        let telling: Task<Void, Never>? = before.notifier.map { notifier in
            Task.detached {
                switch before.ended {
                case .failure(let error)?: await notifier.failed(verb, error)
                case .success(let outcome)?: await notifier.ended(verb, outcome.summary, outcome.exitCode)
                case nil: await notifier.finish()
                }
                await before.telling?.value
            }
        }
        let next = HookNotifier([pipeline], session.options, session.context, after: telling)
        state.withLock { $0 = State(notifier: next, telling: telling) }
        next.started(verb, targets: pipeline.targets.map(\.name))
    }

    /// The run is over; its hooks are told once it is known whether another one follows.
    func hear(_ outcome: Result<RunOutcome, IngestError>) { state.withLock { $0.ended = outcome } }

    /// The last run is over, and ends with that code.
    func end(_ verb: String, _ code: (RunOutcome) -> ExitStatus) async {
        let last = state.withLock { $0 }
        if case .success(let outcome)? = last.ended {
            await last.notifier?.ended(verb, outcome.summary, code(outcome))
        }
        await last.telling?.value
    }

    func failed(_ verb: String, _ error: IngestError) async {
        let last = state.withLock { $0 }
        await last.notifier?.failed(verb, error)
        await last.telling?.value
    }
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
            hooks, pipeline: pipeline, event: nil, secrets: context.secrets, logger: HookNotifier.logger(context))
        what(notifier)
        await notifier.finish()
    }
}
