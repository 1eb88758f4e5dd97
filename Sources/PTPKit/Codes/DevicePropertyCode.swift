/// A property of the device, ISO 15740 §13.
///
/// Only those that Filmgate itself reads are named.
public struct DevicePropertyCode: PTPCode {
    public var rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let batteryLevel = Self(0x5001)
    public static let dateTime = Self(0x5011)

    public static let names: [UInt16: String] = [0x5001: "BatteryLevel", 0x5011: "DateTime"]
}
