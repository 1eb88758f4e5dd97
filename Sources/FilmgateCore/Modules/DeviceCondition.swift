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

    /// What else a person who watches should see, in a few words each: who pushed last, what is waited for.
    public var notes: [String] = []
    /// What a person has to look at, in a sentence each.
    public var alarms: [String] = []
    /// It changes by itself and asking costs nothing: it is asked for every two seconds.
    public var isQuick = false

    public init(battery: Int? = nil, storages: [Storage] = []) { (self.battery, self.storages) = (battery, storages) }

    /// What a source knows without asking a device.
    public init(notes: [String], alarms: [String] = []) {
        (storages, self.notes, self.alarms, isQuick) = ([], notes, alarms, true)
    }
}
