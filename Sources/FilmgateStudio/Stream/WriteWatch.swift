import FileKit
import FilmgateCore
import Glibc
import Synchronization

/// Tells that somebody writes into a folder, so that nobody has to look; where the kernel does not, once a second.
final class WriteWatch: Sendable {
    private let changes: ChangeWatch
    private let isOver = Atomic(false)
    /// Many writes in a row are told ten times a second, in microseconds.
    private static let gathering: UInt32 = 100_000, blind: UInt32 = 900_000

    init(_ folder: String) { changes = ChangeWatch(folder, .changes) }

    /// Calls `hear` on a thread of its own; to be called once.
    ///
    /// What is written may be seen a little later than it is told: a writer may still wait for its disk.
    func start(_ hear: @escaping @Sendable () -> Void) {
        BlockingThread.run { [self] in
            while !isOver.load(ordering: .relaxed) {
                if changes.begin() {
                    guard changes.wait(-1) else { continue }
                } else {
                    usleep(Self.blind)
                }
                hear()
                usleep(Self.gathering)
            }
        }
    }

    func end() {
        isOver.store(true, ordering: .relaxed)
        changes.end()
    }
}
