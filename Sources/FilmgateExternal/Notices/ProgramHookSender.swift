import FilmgateCore
import Glibc

/// Starts a program for each notice: JSON on its stdin, the kind of notice in `FILMGATE_NOTICE`.
struct ProgramHookSender: HookSender {
    let hook: ExecHook
    private static let pool = BlockingPool("filmgate.hooks", width: 4)
    var name: String { hook.command.first ?? "" }

    func deliver(_ notice: Notice) async throws(IngestError) {
        try await Self.pool.stoppable { stop throws(IngestError) in try run(notice, stop) }
    }

    private func run(_ notice: Notice, _ stop: StopFlag) throws(IngestError) {
        let child = try ChildProcess(name, Array(hook.command.dropFirst()), environment: ["FILMGATE_NOTICE=\(notice.moment.rawValue)"])
        let end = ContinuousClock.now + hook.timeout
        var rest = notice.body[...], buffer = [UInt8](repeating: 0, count: 4096)
        while !child.isOver {
            guard ContinuousClock.now < end, !stop.isRaised else {
                _ = child.end(patience: 0)
                let why = stop.isRaised ? "was not done when the run ended" : "took longer than \(hook.timeout.shown ?? "")"
                throw IngestError(.unavailable, "\(name) \(why), and was ended.")
            }
            if !rest.isEmpty { rest = child.input.write(rest).map { rest.dropFirst($0) } ?? [] }
            if rest.isEmpty { child.input.close() }
            var watched = [child.output, child.errors].map { pollfd(fd: $0.number, events: Int16(POLLIN), revents: 0) }
            if poll(&watched, 2, 20) > 0 {
                // A few at a time: a program that never stops writing must not keep us from looking at the clock.
                for pipe in [child.output, child.errors] {
                    for _ in 0..<64 { guard case .bytes = pipe.read(into: &buffer) else { break } }
                }
                usleep(2000)
            }
        }
        let how = child.end(patience: 0)
        guard how.isEmpty else { throw IngestError(.rejected, "\(name) ended\(how).") }
    }
}
