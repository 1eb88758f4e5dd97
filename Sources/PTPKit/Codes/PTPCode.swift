/// A sixteen-bit code with a name where the standard gives one.
///
/// Unknown values are ordinary values: nothing is lost or refused.
public protocol PTPCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible, ExpressibleByIntegerLiteral
where RawValue == UInt16 {
    init(rawValue: UInt16)
    static var names: [UInt16: String] { get }
}

extension PTPCode {
    @inlinable public init(_ value: UInt16) { self.init(rawValue: value) }
    @inlinable public init(integerLiteral value: UInt16) { self.init(rawValue: value) }

    /// `GetObject (1009)`, or the number alone.
    public var description: String {
        let number = hex(UInt64(rawValue), 4)
        return Self.names[rawValue].map { "\($0) (\(number))" } ?? number
    }
}

/// `value` in at least `width` upper-case hexadecimal digits.
func hex(_ value: UInt64, _ width: Int) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
