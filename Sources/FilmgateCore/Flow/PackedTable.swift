/// A table by 64-bit hashes that takes little more room than its entries.
///
/// For what is kept of every file of a shoot: a hash table doubles its room whenever it is full, so that it is half
/// empty most of the time, and a run would seem to grow without end. Changes gather in a small table; when they are a
/// sixteenth of all entries they are merged into sorted arrays. An entry is found in as many steps as the number of
/// entries has binary digits.
///
/// Its functions can be inlined: a camera of ten thousand files asks it for each of them, and for a kind of value that
/// the compiler does not know each step costs ten times as much.
public struct PackedTable<Value: Sendable>: Sendable {
    /// Sorted.
    @usableFromInline var keys: [Int] = []
    @usableFromInline var values: [Value] = []
    /// Changes since; nil for what was removed.
    @usableFromInline var changes: [Int: Value?] = [:]
    @usableFromInline var number = 0

    @inlinable public init() {}

    @inlinable public var count: Int { number }
    @inlinable public var isEmpty: Bool { number == 0 }

    @inlinable public subscript(key: Int) -> Value? {
        get {
            if let change = changes[key] { return change }
            let place = place(of: key)
            return place < keys.count && keys[place] == key ? values[place] : nil
        }
        set {
            let isThere = self[key] != nil
            guard isThere || newValue != nil else { return }
            if !isThere { number += 1 } else if newValue == nil { number -= 1 }
            changes.updateValue(newValue, forKey: key)
            if changes.count > 64 + keys.count / 16 { merge() }
        }
    }

    @inlinable public mutating func removeAll(where isUnwanted: (Int) -> Bool) {
        merge()
        let kept = keys.indices.filter { !isUnwanted(keys[$0]) }
        (keys, values) = (kept.map { keys[$0] }, kept.map { values[$0] })
        number = keys.count
    }

    /// Where the key is, or would be.
    @inlinable func place(of key: Int) -> Int {
        var low = 0, high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    @inlinable mutating func merge() {
        var all: [Int] = [], their: [Value] = [], next = 0
        all.reserveCapacity(number)
        their.reserveCapacity(number)
        for key in changes.keys.sorted() {
            let place = place(of: key)
            all += keys[next..<place]
            their += values[next..<place]
            next = place < keys.count && keys[place] == key ? place + 1 : place
            if let value = changes[key] ?? nil {
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
    @inlinable public mutating func insert(_ key: Int) -> Bool {
        guard self[key] == nil else { return false }
        self[key] = ()
        return true
    }
}
