import Dispatch
import FilmgateEngine
import Glibc
import Synchronization

/// Ends the program when a run that was told to stop at once does not: all that it has done is on disk, and safe from a
/// crash.
final class Watchdog: Sendable {
    private static let queue = DispatchQueue(label: "filmgate.watchdog")
    private let isOver = Atomic(false)

    /// From now on the run has a second.
    func bark(_ status: ExitStatus) {
        Self.queue.asyncAfter(deadline: .now() + .milliseconds(900)) { [self] in
            guard !isOver.load(ordering: .relaxed) else { return }
            Console.own.err(
                "The run did not stop in time and was ended. Nothing is lost: the next run continues from here.")
            _exit(status.rawValue)
        }
    }

    /// The run has ended by itself.
    func rest() { isOver.store(true, ordering: .relaxed) }
}
