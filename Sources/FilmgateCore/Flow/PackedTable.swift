/// A table by 64-bit hashes that takes little more room than its entries.
///
/// For what is kept of every file of a shoot: a hash table doubles its room whenever it is full, so that it is half
/// empty most of the time, and a run would seem to grow without end. Changes gather in a small table; when they are a
/// sixteenth of all entries they are merged into sorted arrays. An entry is found in as many steps as the number of
/// entries has binary digits.
public struct PackedTable<Value: Sendable>: Sendable {
    /// Sorted.
    private var keys: [Int] = []
    private var values: [Value] = []
    /// Changes since; nil for what was removed.
    private var changes: [Int: Value?] = [:]
    public private(set) var count = 0

    public init() {}

    public var isEmpty: Bool { count == 0 }

    public subscript(key: Int) -> Value? {
        get {
            if let change = changes[key] { return change }
            let place = place(of: key)
            return place < keys.count && keys[place] == key ? values[place] : nil
        }
        set {
            let isThere = self[key] != nil
            guard isThere || newValue != nil else { return }
            if !isThere { count += 1 } else if newValue == nil { count -= 1 }
            changes.updateValue(newValue, forKey: key)
            if changes.count > 64 + keys.count / 16 { merge() }
        }
    }

    public mutating func removeAll(where isUnwanted: (Int) -> Bool) {
        merge()
        let kept = keys.indices.filter { !isUnwanted(keys[$0]) }
        (keys, values) = (kept.map { keys[$0] }, kept.map { values[$0] })
        count = keys.count
    }

    /// Where the key is, or would be.
    private func place(of key: Int) -> Int {
        var low = 0, high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func merge() {
        var all: [Int] = [], their: [Value] = [], next = 0
        all.reserveCapacity(count)
        their.reserveCapacity(count)
        for (key, value) in changes.sorted(by: { $0.key < $1.key }) {
            let place = place(of: key)
            all += keys[next..<place]
            their += values[next..<place]
            next = place < keys.count && keys[place] == key ? place + 1 : place
            if let value {
                all.append(key)
                their.append(value)
            }
        }
        all += keys[next...]
        their += values[next...]
        (keys, values) = (all, their)
        changes.removeAll(keepingCapacity: true)
    }
}

extension PackedTable where Value == Void {
    /// False where it was there already.
    public mutating func insert(_ key: Int) -> Bool {
        guard self[key] == nil else { return false }
        self[key] = ()
        return true
    }
}
