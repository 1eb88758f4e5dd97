import FilmgateCore

extension PTPCamera {
    /// In percent (PTP, BatteryLevel 0x5001); nil where the camera does not say, or says more than 100.
    package func batteryLevel() -> Int? {
        guard info.properties.contains(.batteryLevel) else { return nil }
        let level = try? read(.getDevicePropValue, UInt32(DevicePropertyCode.batteryLevel.rawValue))
        return level?.first.map(Int.init).flatMap { (0...100).contains($0) ? $0 : nil }
    }

    func condition() -> DeviceCondition {
        var condition = DeviceCondition()
        condition.battery = batteryLevel()
        let storages = ((try? storages()) ?? []).prefix(4).filter(\.holdsMedium)
        condition.storages = storages.compactMap { id in
            (try? storageInfo(id)).map { DeviceCondition.Storage(free: $0.free, capacity: $0.capacity) }
        }
        return condition
    }
}
