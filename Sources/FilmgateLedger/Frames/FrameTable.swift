/// Where each file's slot is, by its number: open addressing in four bytes a cell, half of them empty.
///
/// The numbers are keyed hashes already, so their low bits are as good as any others.
struct FrameTable: Sendable {
    private static let empty: Int32 = -1
    private var cells = [Int32](repeating: Self.empty, count: 64)
    private var mask = 63, count = 0

    func position(of number: UInt64, in slots: [FrameSlot]) -> Int? {
        var cell = Int(truncatingIfNeeded: number) & mask
        while cells[cell] != Self.empty {
            let position = Int(cells[cell])
            if slots[position].number == number { return position }
            cell = (cell + 1) & mask
        }
        return nil
    }

    /// Begins anew with all of them.
    mutating func fill(_ slots: [FrameSlot]) {
        var size = 64
        while size < slots.count * 2 { size *= 2 }
        (cells, mask, count) = ([Int32](repeating: Self.empty, count: size), size - 1, 0)
        for position in slots.indices { add(slots[position].number, position) }
    }

    /// Of one that was put at `position`; those behind it have moved by one.
    mutating func insert(at position: Int, _ slots: [FrameSlot]) {
        guard (count + 1) * 2 <= cells.count else { return fill(slots) }
        var moved = slots.count - 1
        while moved > position {
            move(slots[moved].number, from: moved - 1, to: moved)
            moved -= 1
        }
        add(slots[position].number, position)
    }

    private mutating func add(_ number: UInt64, _ position: Int) {
        var cell = Int(truncatingIfNeeded: number) & mask
        while cells[cell] != Self.empty { cell = (cell + 1) & mask }
        cells[cell] = Int32(position)
        count += 1
    }

    private mutating func move(_ number: UInt64, from old: Int, to new: Int) {
        var cell = Int(truncatingIfNeeded: number) & mask
        while cells[cell] != Int32(old) { cell = (cell + 1) & mask }
        cells[cell] = Int32(new)
    }
}
