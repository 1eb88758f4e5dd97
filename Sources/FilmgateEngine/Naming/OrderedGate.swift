/// Lets shots through one at a time, in card order, whatever order the reading finished in: names then never depend on timing.
actor OrderedGate {
    private var next = 0
    private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]

    /// Returns when every earlier shot has called `leave`; whoever is in may ask again.
    func enter(_ index: Int) async {
        guard index != next else { return }
        await withCheckedContinuation { waiting[index] = $0 }
    }

    /// Called exactly once for every index that entered.
    func leave(_ index: Int) {
        next = index + 1
        waiting.removeValue(forKey: next)?.resume()
    }
}
