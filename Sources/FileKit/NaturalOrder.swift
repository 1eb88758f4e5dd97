/// The order in which a card is gone through: numbers count as numbers (`IMG_9` before `IMG_10`, `999ABCDE` after
/// `100ABCDE`), ASCII case is ignored, and what is still equal is told apart by its bytes: a total order, the same on
/// every machine.
public enum NaturalOrder {
    public static func precedes(_ a: String, _ b: String) -> Bool {
        var a = a, b = b
        return a.withUTF8 { a in b.withUTF8 { b in compare(a, b) < 0 } }
    }

    static func compare(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
        let shared = min(a.count, b.count)
        var index = 0
        while index < shared, a[index] == b[index] { index += 1 }
        if index == shared { return a.count - b.count }
        let difference = Int(a[index]) - Int(b[index])
        // Back to the start of the number that the first difference lies in: up to there both are the same.
        while index > 0, isDigit(a[index - 1]) { index -= 1 }
        return naturally(a, b, from: index) ?? difference
    }

    private static func naturally(
        _ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>, from start: Int
    ) -> Int? {
        var i = start, j = start
        while i < a.count, j < b.count {
            if isDigit(a[i]), isDigit(b[j]) {
                let x = number(a, at: &i), y = number(b, at: &j)
                if x.count != y.count { return x.count - y.count }
                for (p, q) in zip(x, y) where a[p] != b[q] { return Int(a[p]) - Int(b[q]) }
            } else {
                let difference = Int(folded(a[i])) - Int(folded(b[j]))
                if difference != 0 { return difference }
                i += 1
                j += 1
            }
        }
        let rest = (a.count - i) - (b.count - j)
        return rest == 0 ? nil : rest
    }

    /// The digits of a number without its leading zeros; `index` moves behind it.
    private static func number(_ bytes: UnsafeBufferPointer<UInt8>, at index: inout Int) -> Range<Int> {
        while index < bytes.count, bytes[index] == 0x30 { index += 1 }
        let start = index
        while index < bytes.count, isDigit(bytes[index]) { index += 1 }
        return start..<index
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
    private static func folded(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
}
