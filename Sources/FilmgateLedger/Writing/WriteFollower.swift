import FilmgateCore
import Synchronization

/// Whoever wants to know which files each commit wrote down.
final class WriteFollower: Sendable {
    /// Nil where a commit may have written anything: it had begun before somebody wanted to know.
    typealias Hear = @Sendable (WrittenFiles?) -> Void
    private struct Listener { var isWanted: @Sendable () -> Bool, hear: Hear }
    private let listener = Mutex<Listener?>(nil)

    /// `isWanted` is asked twice for every commit.
    func follow(while isWanted: @escaping @Sendable () -> Bool, _ hear: @escaping Hear) {
        listener.withLock { $0 = Listener(isWanted: isWanted, hear: hear) }
    }

    /// To be asked before a transaction begins.
    var isWanted: Bool { listener.withLock(\.self)?.isWanted() ?? false }

    /// `written`: nil where nobody wanted to know when the transaction began.
    func committed(_ written: WrittenFiles?) {
        guard let listener = listener.withLock(\.self), written != nil || listener.isWanted(), written?.isEmpty != true
        else { return }
        listener.hear(written)
    }
}

extension SQLiteLedger {
    /// Calls `hear` right after each commit, on the writer's thread, with the files that it wrote down; it must be
    /// quick.
    ///
    /// Nothing is noted while `isWanted` says no. `hear` gets nil for a commit that had begun before it said yes.
    public func follow(
        while isWanted: @escaping @Sendable () -> Bool, _ hear: @escaping @Sendable (WrittenFiles?) -> Void
    ) {
        commits.follower.follow(while: isWanted, hear)
    }
}
