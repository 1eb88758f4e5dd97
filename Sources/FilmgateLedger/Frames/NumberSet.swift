/// Numbers that a ledger gives in a row, such as those of contents: a bit for each up to the highest.
public struct NumberSet: Sendable, Hashable {
    private var words: [UInt64] = []
    public private(set) var count = 0
    /// What is behind that is not in any set: nobody has so many, and a damaged ledger must not take all memory.
    static let most: Int64 = 1 << 28

    public init() {}
    public init(_ numbers: some Sequence<Int64>) { for number in numbers { insert(number) } }

    public mutating func insert(_ number: Int64) {
        guard number >= 0, number < Self.most else { return }
        let word = Int(number >> 6), bit: UInt64 = 1 << UInt64(number & 63)
        if word >= words.count { words.append(contentsOf: repeatElement(0, count: word + 1 - words.count)) }
        guard words[word] & bit == 0 else { return }
        words[word] |= bit
        count += 1
    }

    public mutating func remove(_ number: Int64) {
        guard contains(number) else { return }
        words[Int(number >> 6)] &= ~(1 << UInt64(number & 63))
        count -= 1
    }

    public mutating func formUnion(_ other: NumberSet) {
        if other.words.count > words.count {
            words.append(contentsOf: repeatElement(0, count: other.words.count - words.count))
        }
        for word in other.words.indices { words[word] |= other.words[word] }
        count = words.reduce(0) { $0 + $1.nonzeroBitCount }
    }

    public func contains(_ number: Int64) -> Bool {
        guard number >= 0, number < Self.most else { return false }
        let word = Int(number >> 6)
        return word < words.count && words[word] & (1 << UInt64(number & 63)) != 0
    }

    /// The lowest first.
    public var numbers: [Int64] {
        var numbers: [Int64] = []
        numbers.reserveCapacity(count)
        for (place, word) in words.enumerated() {
            var rest = word
            while rest != 0 {
                numbers.append(Int64(place) << 6 | Int64(rest.trailingZeroBitCount))
                rest &= rest - 1
            }
        }
        return numbers
    }
}
