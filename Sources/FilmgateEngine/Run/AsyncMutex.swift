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
