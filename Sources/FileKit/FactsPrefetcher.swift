internal import CLinux
import Dispatch
import FilmgateCore

/// What the file system says about the names of one folder, asked some names ahead and by two threads: asking takes
/// most of the time that listing a full card takes.
///
/// For one caller. How far ahead it looks grows while answers come quickly, so that a scan which ends early, or a slow
/// card, is asked little in vain.
struct FactsPrefetcher: ~Copyable {
    struct Answer: Sendable { var facts = fg_stat(), code: CInt = 0 }

    private let ask: @Sendable (Int) -> Answer
    private let count: Int
    private var answers: [Answer] = [], start = 0, step = 1
    private static let most = 1024, worthTwo = 64
    private static let quick = Duration.milliseconds(5)

    /// `count` names, each of which `ask` asks about on any thread.
    init(_ count: Int, _ ask: @escaping @Sendable (Int) -> Answer) {
        (self.count, self.ask) = (count, ask)
    }

    /// What is known of the name at `index`.
    ///
    /// To be called for one name after the other.
    mutating func answer(_ index: Int) -> Answer {
        if index < start || index >= start + answers.count { look(from: index) }
        return answers[index - start]
    }

    private mutating func look(from index: Int) {
        let clock = ContinuousClock(), begun = clock.now, size = max(1, min(step, count - index))
        answers = Array(repeating: Answer(), count: size)
        start = index
        let half = size < Self.worthTwo ? size : size / 2
        answers.withUnsafeMutableBufferPointer { [ask] all in
            // The second thread fills the second half, and is waited for before anything else happens to it.
            nonisolated(unsafe) let rest = UnsafeMutableBufferPointer(rebasing: all[half...])
            let done = DispatchSemaphore(value: 0)
            if half < size {
                BlockingThread.run {
                    for other in rest.indices { rest[other] = ask(index + half + other) }
                    done.signal()
                }
            }
            for own in 0..<half { all[own] = ask(index + own) }
            if half < size { done.wait() }
        }
        step = clock.now - begun < Self.quick ? min(step * 2, Self.most) : max(step / 2, 1)
    }
}
