/// The order in which files are handed on: grouped by key, groups in order of their first file, by rank inside a group.
struct ShotOrder {
    /// Positions in the new order.
    private(set) var indices: [Int] = []
    /// For each file that is not the first of its group: that first one, and it.
    private(set) var members: [(first: Int, member: Int)] = []
    private(set) var isUnchanged = true

    init(_ keys: some Sequence<String>, ranks: [Int]) {
        // Each group as a chain through `next`, since most have one or two files.
        var groupOfKey: [String: Int] = [:], heads: [Int] = [], tails: [Int] = []
        var next = [Int](repeating: -1, count: ranks.count), lastKey = ""
        groupOfKey.reserveCapacity(ranks.count)
        for (index, key) in keys.enumerated() {
            if index > 0, key == lastKey, let group = heads.indices.last, tails[group] == index - 1 {
                next[index - 1] = index
                tails[group] = index
            } else if let group = groupOfKey[key] {
                next[tails[group]] = index
                tails[group] = index
            } else {
                groupOfKey[key] = heads.count
                heads.append(index)
                tails.append(index)
            }
            lastKey = key
        }
        indices.reserveCapacity(ranks.count)
        for head in heads { add(head, next, ranks) }
    }

    private mutating func add(_ head: Int, _ next: [Int], _ ranks: [Int]) {
        let start = indices.count
        var index = head
        while index >= 0 {
            indices.append(index)
            index = next[index]
        }
        if indices.count - start > 1 {
            indices[start...].sort { (ranks[$0], $0) < (ranks[$1], $1) }
            for index in indices[(start + 1)...] { members.append((indices[start], index)) }
        }
        for position in start..<indices.count where indices[position] != position { isUnchanged = false }
    }
}
