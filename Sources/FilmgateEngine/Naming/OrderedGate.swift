/// Lets shots through one at a time, in card order, whatever order the reading finished in: names then never depend on
/// timing.
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

/// One shot at a time chooses its names, whichever source it comes from; first come, first served.
actor AsyncMutex {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    /// Those before it have had their turn.
    private var head = 0

    /// How many wait for it.
    var count: Int { waiting.count - head }

    func take() async {
        guard isTaken else {
            isTaken = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func give() {
        guard head < waiting.count else {
            (isTaken, waiting, head) = (false, [], 0)
            return
        }
        head += 1
        waiting[head - 1].resume()
        if head > 64, head * 2 > waiting.count {
            waiting.removeFirst(head)
            head = 0
        }
    }
}
