import Dispatch
import FilmgateCore
import FilmgateEngine
import FilmgateLedger
import Glibc

/// One run as a person sees it: progress while it lasts, troubles as they come, a summary at the end, the exit code.
struct RunSession {
    let workplace: Workplace
    var options: RunOptions
    var errorOnEmpty = false

    private var json: Bool { workplace.options.json }

    /// Runs the pipeline once and ends the program's verb with the run's exit code.
    func run(_ pipeline: PipelineFile) async throws {
        let writer: SQLiteLedger? = options.dryRun ? nil : try await workplace.openLedger()
        let reader: any LedgerReader = if let writer { writer } else { try await workplace.readLedger() }
        let hub = EventHub(), progress = Progress()
        hub.watch(progress.note)
        let printer = RunPrinter(json: json, plan: options.dryRun, verbose: workplace.options.verbose, ledger: reader)
        hub.watch(printer.note)
        let outcome = try await workplace.telling { () async throws(IngestError) in
            let plan = try workplace.builder(ledger: reader, event: options.event).plan(pipeline)
            let runner = Runner(plan: plan, options: options, hub: hub, reader: reader, writer: writer)
            let signals = Signals(runner)
            let bar = drawing(progress)
            defer {
                bar?.cancel()
                signals.end()
            }
            return try await runner.runOnce()
        }
        await printer.finish(outcome)
        var code = outcome.exitCode
        if code == .complete, errorOnEmpty, outcome.summary[.delivered] == 0 { code = .nothingToDo }
        if json {
            Console.out(SummaryLine.json(outcome.summary, exit: code))
        } else {
            Console.out(SummaryLine.human(outcome.summary, exit: code, plan: options.dryRun))
        }
        writer?.close()
        throw Exit(code)
    }

    private func drawing(_ progress: Progress) -> Task<Void, Never>? {
        let terminal = Console.stderrIsTerminal
        if json, !terminal { return nil }
        return Task.detached { await ProgressBar(progress: progress, terminal: terminal).run() }
    }
}

/// First Ctrl-C or SIGTERM: finish what is in flight; the second: stop at once.
final class Signals: Sendable {
    private let sources: [any DispatchSourceSignal]

    init(_ runner: Runner) {
        let queue = DispatchQueue(label: "filmgate.signals")
        let count = SignalCount()
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                if count.next() == 1 {
                    Console.err("Stopping after what is in flight; once more to stop at once.")
                    runner.stop()
                } else {
                    runner.abort()
                }
            }
            source.activate()
            return source
        }
    }

    func end() { for source in sources { source.cancel() } }
}
