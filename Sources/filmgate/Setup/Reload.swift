import FileKit
import FilmgateCore
import FilmgateEngine
import FilmgateLedger
import Synchronization

/// One chance to go on with a changed pipeline: taken whole or not at all.
final class Reload: Sendable {
    private struct State {
        var next: PipelineFile?, isBusy = false, isAskedAgain = false
        /// The runner has returned: whatever comes now is for the next one.
        var isOver = false
    }
    private let live: LiveSession, ledger: SQLiteLedger, runner: Runner
    private let state = Mutex(State())
    /// What the runner was made from.
    private let pipeline: PipelineFile, present: PipelineFingerprint
    /// Has the next one look at the files again.
    private let askNext: @Sendable () -> Void

    init(
        _ live: LiveSession, ledger: SQLiteLedger, runner: Runner, pipeline: PipelineFile, present: PipelineFingerprint,
        askNext: @escaping @Sendable () -> Void
    ) {
        (self.live, self.ledger, self.runner, self.pipeline, self.present) = (live, ledger, runner, pipeline, present)
        self.askNext = askNext
    }

    private var taken: PipelineFile? { state.withLock(\.next) }

    /// The runner has returned: what the run goes on with; nothing is taken any more.
    func end() -> PipelineFile? {
        state.withLock { state in
            state.isOver = true
            return state.next
        }
    }

    /// Whether the runner makes way, as `change` says; nil where it has returned meanwhile, and perhaps another goes on
    /// already.
    private func take<Thrown: Error>(
        _ change: (inout State) throws(Thrown) -> Bool
    ) throws(Thrown) -> Bool? {
        let makesWay = try state.withLock { state throws(Thrown) -> Bool? in
            if state.isOver { return nil }
            return try change(&state)
        }
        if makesWay == true { runner.leave() }
        return makesWay
    }

    /// Reads the pipeline again; when it is right, the runner finishes what is in flight and makes way.
    ///
    /// Returns at once; asked for again meanwhile, it looks once more afterwards.
    func ask() {
        let isFirst = state.withLock { state in
            state.isAskedAgain = state.isBusy
            defer { state.isBusy = true }
            return !state.isBusy
        }
        guard isFirst else { return }
        Task {
            repeat { await attempt() } while isAskedAgain()
        }
    }

    /// Finishes what is in flight and makes way for a run with that event; throws where it cannot be run with it.
    ///
    /// `accept` is called only then, in the order in which the run takes one event after the other. `invocation`: of
    /// the command that asks for it, and hears how it goes.
    @Sendable func begin(
        with event: String, _ invocation: Invocation, _ accept: @Sendable () throws(IngestError) -> Void
    ) async throws(IngestError) {
        let pipeline = taken ?? pipeline
        if event != live.present().options.event {
            try await live.present(event: event, for: invocation).learnEvent([pipeline])
            try await live.runner(pipeline, ledger, EventHub(), event: event, for: invocation).runner.check()
        }
        let makesWay = try take { state throws(IngestError) in
            try accept()
            if event == live.present().options.event { return false }
            live.switching.note(event)
            state.next = state.next ?? pipeline
            return true
        }
        guard let makesWay else { throw EventSwitch.tooEarly }
        if makesWay { tell("taken", "The run goes on with the event \(Describe.name(event)).", to: invocation.console) }
    }

    private func isAskedAgain() -> Bool {
        state.withLock { state in
            defer { (state.isBusy, state.isAskedAgain) = (state.isAskedAgain, false) }
            return state.isAskedAgain
        }
    }

    private func attempt() async {
        guard let load = live.load else { return }
        ServiceNotice.reloading()
        defer { ServiceNotice.ready(paused: live.gate.isShut) }
        let loaded = load(), console = live.session.context.console
        guard let pipeline = loaded.pipeline else {
            for diagnostic in loaded.diagnostics where diagnostic.severity == .error {
                live.session.json
                    ? console.out(DiagnosticLine.json(diagnostic))
                    : console.err(DiagnosticLine.human(diagnostic, loaded))
            }
            return tell("refused", "The changed pipeline has mistakes: this run keeps the old one.")
        }
        // What was taken last comes next, and may not have begun yet.
        let paths = live.session.context.invocation.paths
        let last = taken.map { PipelineFingerprint($0, from: paths) } ?? present
        guard PipelineFingerprint(pipeline, from: paths) != last else {
            return tell("unchanged", "The pipeline says what it said before: nothing is interrupted.")
        }
        if let trouble = await trouble(with: pipeline) {
            return tell("refused", "The changed pipeline cannot be run: \(trouble) This run keeps the old one.")
        }
        let makesWay = take { state in
            state.next = pipeline
            return true
        }
        guard makesWay != nil else { return askNext() }
        tell("taken", "The pipeline was changed and is in use now.")
    }

    /// What would keep a run from beginning with it; nil when nothing does.
    private func trouble(with pipeline: PipelineFile) async -> String? {
        if pipeline.sources.isEmpty { return "It has no sources." }
        if pipeline.catalog != self.pipeline.catalog {
            return "`catalog:` is read when a run begins: stop it and start it again."
        }
        if pipeline.event.required, !pipeline.event.hold, live.present().options.event == nil {
            return "It needs an event."
        }
        let trial = await Result { () async throws(IngestError) in
            try await live.present().learnEvent([pipeline])
            try await live.runner(pipeline, ledger, EventHub()).runner.check()
        }
        if case .failure(let error) = trial { return error.description }
        return nil
    }

    /// One of the pipeline's files is not there any more: the run needs it no longer, but the next one does.
    @Sendable func lost(_ file: String) {
        tell(
            "gone",
            "\(PathText.shown(file)) is gone: this run goes on with what it read there, but cannot be started again without it. "
                + "Put the file back; it is read anew then.")
    }

    /// What was taken could not be run after all.
    func keepOld(_ error: IngestError) {
        tell(
            "refused", "The changed pipeline cannot be run: \(error.description) The run continues with the old one.")
    }

    /// `console`: of who asked for it; nil = the run's own.
    private func tell(_ what: String, _ words: String, to console: Console? = nil) {
        let console = console ?? live.session.context.console
        guard live.session.json else { return console.err(words) }
        var line = JSONWriter()
        line.add("type", "status")
        line.add("reload", what)
        line.add("reason", words)
        console.out(line.finished)
    }
}
