/// The list of pictures in one file (CIPA DC-007), as it stands in APP2.
struct MultiPictureIndex {
    private var entries: [Int] = []
    private let little: Bool

    /// Nil when it is not as the standard says; then it is left alone.
    init?(_ bytes: [UInt8], at start: Int, end: Int) {
        guard start + 8 <= end, end <= bytes.count else { return nil }
        little = bytes[start] == 0x49
        let directory = start + number(bytes, start + 4, 4)
        guard directory >= start, directory + 2 <= end else { return nil }
        let count = number(bytes, directory, 2)
        guard directory + 2 + count * 12 <= end else { return nil }
        for entry in 0..<count {
            let at = directory + 2 + entry * 12
            guard number(bytes, at, 2) == 0xB002 else { continue }
            let size = number(bytes, at + 4, 4), place = start + number(bytes, at + 8, 4)
            guard size % 16 == 0, size > 16, place >= start, place + size <= end else { return nil }
            entries = (0..<(size / 16)).map { place + $0 * 16 }
        }
        if entries.isEmpty { return nil }
    }

    private func number(_ bytes: [UInt8], _ at: Int, _ size: Int) -> Int {
        (0..<size).reduce(0) { $0 << 8 | Int(bytes[at + (little ? size - 1 - $1 : $1)]) }
    }

    /// Adds to the size of the first picture and to where the others stand.
    mutating func move(_ bytes: inout [UInt8], others: Int, first: Int) {
        for (index, entry) in entries.enumerated() {
            if index == 0 { add(first, to: entry + 4, &bytes) } else { add(others, to: entry + 8, &bytes) }
        }
    }

    private func add(_ change: Int, to at: Int, _ bytes: inout [UInt8]) {
        let old = number(bytes, at, 4), new = old + change
        guard old != 0, (0...Int(UInt32.max)).contains(new) else { return }
        for index in 0..<4 { bytes[at + (little ? index : 3 - index)] = UInt8(truncatingIfNeeded: new >> (8 * index)) }
    }
}
