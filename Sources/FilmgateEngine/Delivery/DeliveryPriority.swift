import FilmgateCore

/// Which delivery goes first.
///
/// A folder takes files as they come: the archive is complete in the order of the card. For a gallery somebody is
/// waiting: JPEG before the rest, and the newest first.
struct DeliveryPriority: Comparable, Sendable {
    private var setbacks = 0, rank = 0, age: Int64 = 0, arrival: Int

    init(of delivery: Delivery, arrival: Int) {
        self.arrival = arrival
        guard !delivery.target.isLocal else { return }
        let asset = delivery.job.asset
        rank = asset.kind == .jpeg ? 0 : 1
        // Civil time as if it were UTC: good enough to tell what is newer.
        age =
            -((delivery.job.values.captured ?? asset.media?.captured)?.civilSeconds ?? asset.origin.modified
            / 1_000_000_000)
    }

    /// It could not be sent though others may be: it goes behind them, as if it came now.
    mutating func setBack(_ arrival: Int) {
        setbacks += 1
        self.arrival = arrival
    }

    static func < (a: Self, b: Self) -> Bool {
        (a.setbacks, a.rank, a.age, a.arrival) < (b.setbacks, b.rank, b.age, b.arrival)
    }
}

/// Deliveries by urgency: a binary heap.
struct DeliveryHeap: Sendable {
    private(set) var items: [(urgency: DeliveryPriority, id: Delivery.ID)] = []

    var count: Int { items.count }

    mutating func insert(_ id: Delivery.ID, _ urgency: DeliveryPriority) {
        items.append((urgency, id))
        rise(from: items.count - 1)
    }

    /// False when it is not there.
    mutating func remove(_ id: Delivery.ID) -> Bool {
        guard let index = items.firstIndex(where: { $0.id == id }), let last = items.popLast() else { return false }
        guard index < items.count else { return true }
        items[index] = last
        rise(from: index)
        sink(from: index)
        return true
    }

    mutating func removeFirst() -> (urgency: DeliveryPriority, id: Delivery.ID)? {
        guard let first = items.first, let last = items.popLast() else { return nil }
        if items.isEmpty { return first }
        items[0] = last
        sink(from: 0)
        return first
    }

    private mutating func rise(from index: Int) {
        var child = index
        while child > 0, items[child].urgency < items[(child - 1) / 2].urgency {
            items.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private mutating func sink(from index: Int) {
        var parent = index
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < items.count && items[child].urgency < items[least].urgency {
                least = child
            }
            if least == parent { return }
            items.swapAt(parent, least)
            parent = least
        }
    }
}
