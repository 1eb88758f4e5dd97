/// The latest changes of things that have a key, numbered from 1 on, in bounded memory.
///
/// A change carries the whole value, so only the last one of each key is kept: whoever reads seldom gets fewer and
/// newer ones. When there are too many keys the oldest go, and a reader who still needed them is told of a gap: it then
/// has to look at everything anew. Readers are nothing but the number up to which they know, so any number of them cost
/// no memory here.
package struct ChangeRing<Value: Sendable>: Sendable {
    package struct Change: Sendable {
        package var number: Int64, key: String
        /// When it was written down, in nanoseconds since 1970.
        package var at: Int64
        package var value: Value
        fileprivate var cost: Int
    }

    /// What a reader gets.
    package struct Part: Sendable {
        /// True when changes went that the reader had not seen.
        package var isGap: Bool
        package var changes: [Change] = []
        /// Up to here the reader knows everything, once it has these.
        package var upTo: Int64
        /// There are more, for the next time.
        package var isMore = false

        package init(isGap: Bool = false, upTo: Int64) { (self.isGap, self.upTo) = (isGap, upTo) }
    }

    private struct Slot: Sendable { var number: Int64, change: Change? }
    private let mostKeys: Int, mostCost: Int
    /// In the order of their numbers; without a change where a later one of the same key came.
    private var slots: [Slot] = []
    /// Those before this one are done with.
    private var begin = 0
    private var places: [String: Int64] = [:]
    private var cost = 0
    /// The number of the last change.
    package private(set) var last: Int64 = 0
    /// The highest number that went although it was the latest of its key.
    private var lost: Int64 = 0

    /// `mostCost`: of all values together, as `add` is told.
    package init(mostKeys: Int, mostCost: Int) { (self.mostKeys, self.mostCost) = (mostKeys, mostCost) }

    /// How many keys have a change here.
    package var count: Int { places.count }

    package mutating func add(_ key: String, _ value: Value, cost valueCost: Int = 1, at time: Int64) {
        if let old = places[key] { clear(old) }
        last += 1
        places[key] = last
        cost += valueCost
        slots.append(
            Slot(number: last, change: Change(number: last, key: key, at: time, value: value, cost: valueCost)))
        while places.count > mostKeys || (cost > mostCost && places.count > 1) { dropOldest() }
        // Each slot is moved about once on the whole.
        if slots.count > 2 * places.count + 64 {
            slots.removeAll { $0.change == nil }
            begin = 0
        }
    }

    /// The changes after `number`, at most so many.
    ///
    /// A number from elsewhere, higher than any here, is a gap as well.
    package func changes(after number: Int64, limit: Int) -> Part {
        guard number >= lost, number <= last else { return Part(isGap: true, upTo: last) }
        var part = Part(upTo: last)
        for slot in slots[place(after: number)...] {
            guard let change = slot.change else { continue }
            if part.changes.count == limit {
                (part.isMore, part.upTo) = (true, part.changes.last?.number ?? number)
                break
            }
            part.changes.append(change)
        }
        return part
    }

    /// The first slot with a higher number.
    private func place(after number: Int64) -> Int {
        var low = begin, high = slots.count
        while low < high {
            let middle = (low + high) / 2
            if slots[middle].number > number { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private mutating func clear(_ number: Int64) {
        let index = place(after: number - 1)
        cost -= slots[index].change?.cost ?? 0
        slots[index].change = nil
    }

    private mutating func dropOldest() {
        while slots[begin].change == nil { begin += 1 }
        guard let change = slots[begin].change else { return }
        clear(change.number)
        places[change.key] = nil
        lost = change.number
        begin += 1
    }
}
