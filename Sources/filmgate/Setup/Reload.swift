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

    /// False where the runner has returned meanwhile, and perhaps another goes on already.
    private func take(_ change: (inout State) -> Void) -> Bool {
        let isTaken = state.withLock { state in
            if !state.isOver { change(&state) }
            return !state.isOver
        }
        if isTaken { runner.leave() }
        return isTaken
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
    func begin(with event: String) async throws(IngestError) {
        guard event != live.present().options.event else { return }
        let pipeline = taken ?? pipeline
        try await live.present(event: event).learnEvent([pipeline])
        try await live.runner(pipeline, ledger, EventHub(), event: event).runner.check()
        let isTaken = take { state in
            live.switching.note(event)
            state.next = state.next ?? pipeline
        }
        guard isTaken else { throw EventSwitch.tooEarly }
        tell("taken", "The run goes on with the event \(Describe.name(event)).")
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
        let loaded = load()
        guard let pipeline = loaded.pipeline else {
            for diagnostic in loaded.diagnostics where diagnostic.severity == .error {
                live.session.json
                    ? Console.out(DiagnosticLine.json(diagnostic))
                    : Console.err(DiagnosticLine.human(diagnostic, loaded))
            }
            return tell("refused", "The changed pipeline has mistakes: this run keeps the old one.")
        }
        // What was taken last comes next, and may not have begun yet.
        guard PipelineFingerprint(pipeline) != taken.map(PipelineFingerprint.init) ?? present else {
            return tell("unchanged", "The pipeline says what it said before: nothing is interrupted.")
        }
        if let trouble = await trouble(with: pipeline) {
            return tell("refused", "The changed pipeline cannot be run: \(trouble) This run keeps the old one.")
        }
        guard take({ $0.next = pipeline }) else { return askNext() }
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

    func tell(_ what: String, _ words: String) {
        guard live.session.json else { return Console.err(words) }
        var line = JSONWriter()
        line.add("type", "status")
        line.add("reload", what)
        line.add("reason", words)
        Console.out(line.finished)
    }
}
