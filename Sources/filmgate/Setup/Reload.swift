import FileKit
import FilmgateCore
import FilmgateEngine
import FilmgateLedger
import Synchronization

/// One chance to go on with a changed pipeline: taken whole or not at all.
final class Reload: Sendable {
    private struct State { var next: PipelineFile?, isBusy = false, isAskedAgain = false }
    private let live: LiveSession, ledger: SQLiteLedger, runner: Runner
    private let state = Mutex(State())
    /// What the runner was made from.
    private let pipeline: PipelineFile, present: PipelineFingerprint

    init(
        _ live: LiveSession, ledger: SQLiteLedger, runner: Runner, pipeline: PipelineFile, present: PipelineFingerprint
    ) {
        (self.live, self.ledger, self.runner, self.pipeline, self.present) = (live, ledger, runner, pipeline, present)
    }

    /// What the run goes on with, once the runner has returned.
    var taken: PipelineFile? { state.withLock(\.next) }

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
        live.switching.note(event)
        state.withLock { $0.next = pipeline }
        tell("taken", "The run goes on with the event \(Describe.name(event)).")
        runner.leave()
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
        state.withLock { $0.next = pipeline }
        tell("taken", "The pipeline was changed and is in use now.")
        runner.leave()
    }

    /// What would keep a run from beginning with it; nil when nothing does.
    private func trouble(with pipeline: PipelineFile) async -> String? {
        if pipeline.sources.isEmpty { return "It has no sources." }
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

    func tell(_ what: String, _ words: String) {
        guard live.session.json else { return Console.err(words) }
        var line = JSONWriter()
        line.add("type", "status")
        line.add("reload", what)
        line.add("reason", words)
        Console.out(line.finished)
    }
}
