import FilmgateCore

/// Where a sign-in stands, and who is told of each change.
struct AccountStates {
    private(set) var now = AccountState.signedOut
    private var watchers: [Int: AsyncStream<AccountState>.Continuation] = [:], nextWatcher = 0

    mutating func become(_ new: AccountState) {
        guard new != now else { return }
        now = new
        for watcher in watchers.values { watcher.yield(new) }
    }

    /// The state, and each later one.
    ///
    /// `ended` is called with the watcher's number when nobody listens any more.
    mutating func watch(_ ended: @escaping @Sendable (Int) -> Void) -> AsyncStream<AccountState> {
        let (stream, continuation) = AsyncStream<AccountState>.makeStream(bufferingPolicy: .bufferingNewest(16))
        let number = nextWatcher
        nextWatcher += 1
        watchers[number] = continuation
        continuation.onTermination = { _ in ended(number) }
        continuation.yield(now)
        return stream
    }

    mutating func forget(_ number: Int) { watchers[number] = nil }

    func finish() { for watcher in watchers.values { watcher.finish() } }
}
