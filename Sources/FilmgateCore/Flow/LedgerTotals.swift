/// How many files ended in which way, and how each target fares.
public struct LedgerTotals: Sendable, Hashable {
    public struct Target: Sendable, Hashable {
        public var identity: String, name: String, states: [Receipt.State: Int], bytesWaiting: UInt64
        public var oldestWaiting: Int64?
        public var nextTry: Int64?
        public var lastReason: String?
        /// Of those done, how many the target has denied since, and what it said last.
        public var denied = 0, lastDenial: Denial?
        public init(
            identity: String, name: String, states: [Receipt.State: Int], bytesWaiting: UInt64, oldestWaiting: Int64?,
            nextTry: Int64?, lastReason: String?
        ) {
            (self.identity, self.name, self.states, self.bytesWaiting) = (identity, name, states, bytesWaiting)
            (self.oldestWaiting, self.nextTry, self.lastReason) = (oldestWaiting, nextTry, lastReason)
        }
    }
    public var assets: [Ending: Int], unfinished: Int, targets: [Target]
    /// Files of which a part is missing on their source, counted in `assets` like all others.
    public var damaged = 0
    public init(assets: [Ending: Int], unfinished: Int, targets: [Target]) {
        (self.assets, self.unfinished, self.targets) = (assets, unfinished, targets)
    }
}
