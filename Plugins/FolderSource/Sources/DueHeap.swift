/// What is to be looked at again, the earliest first.
struct DueHeap: Sendable {
    private var items: [(due: ContinuousClock.Instant, key: PathKey)] = []

    var first: ContinuousClock.Instant? { items.first?.due }
    var count: Int { items.count }

    mutating func push(_ key: PathKey, _ due: ContinuousClock.Instant) {
        items.append((due, key))
        var child = items.count - 1
        while child > 0, items[child].due < items[(child - 1) / 2].due {
            items.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// The earliest, when its time has come.
    mutating func pop(by now: ContinuousClock.Instant) -> (due: ContinuousClock.Instant, key: PathKey)? {
        guard let top = items.first, top.due <= now else { return nil }
        items.swapAt(0, items.count - 1)
        items.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [parent * 2 + 1, parent * 2 + 2]
            where child < items.count && items[child].due < items[least].due { least = child }
            if least == parent { return top }
            items.swapAt(parent, least)
            parent = least
        }
    }
}
