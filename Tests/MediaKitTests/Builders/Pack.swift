/// Byte orders; the builders know nothing of the kit that they test, so that the fuzz target can use them too.
enum Endian: Sendable { case little, big }

/// Bytes of numbers in a byte order.
func pack(_ value: UInt64, _ width: Int, _ order: Endian) -> [UInt8] {
    let little = (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    return order == .little ? little : little.reversed()
}

func be16(_ value: Int) -> [UInt8] { pack(UInt64(value), 2, .big) }
func be32(_ value: Int) -> [UInt8] { pack(UInt64(value), 4, .big) }
func be64(_ value: Int) -> [UInt8] { pack(UInt64(value), 8, .big) }
func le16(_ value: Int) -> [UInt8] { pack(UInt64(value), 2, .little) }
func le32(_ value: Int) -> [UInt8] { pack(UInt64(value), 4, .little) }
func ascii(_ text: String) -> [UInt8] { Array(text.utf8) }
func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

infix operator ++ : AdditionPrecedence

/// Bytes behind bytes.
///
/// One meaning only: with `+` between array literals the compiler takes minutes.
func ++ (left: [UInt8], right: [UInt8]) -> [UInt8] { left + right }
