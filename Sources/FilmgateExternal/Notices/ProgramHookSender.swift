import FilmgateCore

/// Starts a program for each notice: JSON on its stdin, the kind of notice in `FILMGATE_NOTICE`.
struct ProgramHookSender: HookSender {
    let hook: ExecHook
    private static let pool = BlockingPool(width: 4)
    var name: String { hook.command.first ?? "" }

    func deliver(_ notice: Notice) async throws(IngestError) {
        try await Self.pool.stoppable { stop throws(IngestError) in try run(notice, stop) }
    }

    private func run(_ notice: Notice, _ stop: StopFlag) throws(IngestError) {
        let program = try PipedProcess(hook.command, beside: ["FILMGATE_NOTICE=\(notice.moment.rawValue)"])
        let end = ContinuousClock.now + hook.timeout
        var rest = notice.body[...]
        while !program.child.isOver {
            guard ContinuousClock.now < end, !stop.isRaised else {
                program.child.end()
                let why =
                    stop.isRaised ? "was not done when the run ended" : "took longer than \(hook.timeout.shown ?? "")"
                throw IngestError(.unavailable, "\(name) \(why), and was ended.")
            }
            program.exchange(&rest, within: 20) { _, _ in }
        }
        let how = program.child.end().words
        guard how.isEmpty else { throw IngestError(.rejected, "\(name) ended\(how).") }
    }
}
