import FilmgateCore
import FilmgateEngine
import FilmgateExternal
import Synchronization

extension NoticeBoard {
    /// For a run; nobody is told of a dry one.
    convenience init(_ pipelines: [PipelineFile], _ options: RunOptions, _ workplace: Workplace) {
        var told: Set<String> = []
        let all = options.dryRun ? [] : pipelines.flatMap(\.hooks).map(\.hook)
        // `retry` goes on with several pipelines, which often have the same hooks.
        let hooks = all.filter { told.insert($0.place).inserted }
        self.init(
            hooks, pipeline: pipelines.first?.name, event: options.event, secrets: workplace.secrets, logger: workplace.options.logger)
    }
}

/// The hooks of a run without an end: those of the pipeline as it is now, which may be reloaded.
final class NoticeRelay: Sendable {
    private let board = Mutex<NoticeBoard?>(nil)

    /// For `EventHub.watch`.
    @Sendable func note(_ happening: Happening) { board.withLock { $0 }?.note(happening) }

    /// From now on these hooks are told; the ones before are given time for what they were told last.
    func take(_ next: NoticeBoard, _ verb: String, targets: [String]) {
        let before = board.withLock { board in
            defer { board = next }
            return board
        }
        if let before { Task.detached { await before.finish() } } else { next.runStarted(verb, targets: targets) }
    }

    func end(_ verb: String, _ summary: RunSummary, _ code: ExitStatus) async {
        guard let last = board.withLock({ $0 }) else { return }
        last.runEnded(verb, summary, exit: Int(code.rawValue))
        await last.finish()
    }
}

extension Hook {
    /// Who is told.
    var place: String {
        switch self {
        case .exec(let hook): hook.command.joined(separator: " ")
        case .webhook(let hook): hook.url
        }
    }
}

extension SignIn {
    /// Tells the hooks of its pipeline, and waits for them a while.
    func tell(_ workplace: Workplace, _ what: (NoticeBoard) -> Void) async {
        guard !hooks.isEmpty else { return }
        let board = NoticeBoard(hooks, pipeline: pipeline, event: nil, secrets: workplace.secrets, logger: workplace.options.logger)
        what(board)
        await board.finish()
    }
}
