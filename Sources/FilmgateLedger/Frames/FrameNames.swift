/// The names of all files in one row of bytes, in the order of their slots: one search goes through all of them.
struct FrameNames: Sendable {
    private(set) var bytes: [UInt8] = []

    var count: Int { bytes.count }

    mutating func append(_ name: some Sequence<UInt8>) { bytes.append(contentsOf: name) }
    mutating func insert(_ name: some Collection<UInt8>, at place: Int) { bytes.insert(contentsOf: name, at: place) }
    mutating func remove(_ range: Range<Int>) { bytes.removeSubrange(range) }
    mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// No name of a file is searched for by its line breaks.
    static func folded(_ text: String) -> [UInt8] { text.lowercased().utf8.map { $0 == 0x0A ? 0x20 : $0 } }

    /// Of each byte the one that stands for it, whatever its case, as far as ASCII goes.
    private static let cases: [UInt8] = (0...255).map { byte in
        switch byte {
        case 0x41...0x5A: UInt8(byte) + 0x20
        case 0x0A: 0x20
        default: UInt8(byte)
        }
    }

    /// The slots whose name holds `wanted`, which is folded, in their order.
    ///
    /// Where a name has more than ASCII in it, its own letters' cases are asked of Unicode, which is slower.
    func positions(of wanted: [UInt8], in slots: [FrameSlot]) -> [Int32] {
        guard !wanted.isEmpty, !slots.isEmpty else { return [] }
        var found = wanted.allSatisfy { $0 < 0x80 } ? plain(wanted, slots) : []
        let before = found.count
        for position in slots.indices
        where slots[position].isWide && holds(wanted, Self.folded(text(range(position, slots)))) {
            found.append(Int32(position))
        }
        if before > 0, found.count > before { found.sort() }
        return found
    }

    private func range(_ position: Int, _ slots: [FrameSlot]) -> Range<Int> {
        slots[position].name..<(position + 1 < slots.count ? slots[position + 1].name : bytes.count)
    }

    private func holds(_ wanted: [UInt8], _ name: [UInt8]) -> Bool {
        name.count >= wanted.count
            && (0...(name.count - wanted.count)).contains { start in name[start...].starts(with: wanted) }
    }

    private func plain(_ wanted: [UInt8], _ slots: [FrameSlot]) -> [Int32] {
        var found: [Int32] = []
        let first = wanted[0], last = bytes.count - wanted.count
        bytes.withUnsafeBufferPointer { bytes in
            Self.cases.withUnsafeBufferPointer { cases in
                slots.withUnsafeBufferPointer { slots in
                    var at = 0, position = 0
                    while at <= last {
                        guard cases[Int(bytes[at])] == first, Self.matches(wanted, bytes, cases, at) else {
                            at += 1
                            continue
                        }
                        while position + 1 < slots.count, slots[position + 1].name <= at { position += 1 }
                        let end = position + 1 < slots.count ? slots[position + 1].name : bytes.count
                        guard at + wanted.count <= end else {
                            // It begins in one name and goes on in the next.
                            at += 1
                            continue
                        }
                        if !slots[position].isWide { found.append(Int32(position)) }
                        at = end
                    }
                }
            }
        }
        return found
    }

    private static func matches(
        _ wanted: [UInt8], _ bytes: UnsafeBufferPointer<UInt8>, _ cases: UnsafeBufferPointer<UInt8>, _ at: Int
    ) -> Bool {
        var index = 1
        while index < wanted.count {
            if cases[Int(bytes[at + index])] != wanted[index] { return false }
            index += 1
        }
        return true
    }
}
