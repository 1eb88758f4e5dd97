import FilmgateCore
import FilmgateEngine
import FilmgateExternal

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
