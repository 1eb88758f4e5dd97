/// How a camera fares, as far as it says.
public struct DeviceCondition: Sendable, Hashable {
    /// Room on one of its cards, bytes.
    public struct Storage: Sendable, Hashable {
        public var free: UInt64, capacity: UInt64
        public init(free: UInt64, capacity: UInt64) { (self.free, self.capacity) = (free, capacity) }
    }
    /// Percent.
    public var battery: Int?
    /// In the order of its slots.
    public var storages: [Storage]

    public init(battery: Int? = nil, storages: [Storage] = []) { (self.battery, self.storages) = (battery, storages) }
}
