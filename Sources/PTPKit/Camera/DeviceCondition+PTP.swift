import FilmgateCore

extension PTPCamera {
    func condition() -> DeviceCondition {
        var condition = DeviceCondition()
        if info.properties.contains(.batteryLevel) {
            let level = try? read(.getDevicePropValue, UInt32(DevicePropertyCode.batteryLevel.rawValue))
            condition.battery = level?.first.map(Int.init).flatMap { (0...100).contains($0) ? $0 : nil }
        }
        let storages = ((try? storages()) ?? []).prefix(4).filter(\.holdsMedium)
        condition.storages = storages.compactMap { id in
            (try? storageInfo(id)).map { DeviceCondition.Storage(free: $0.free, capacity: $0.capacity) }
        }
        return condition
    }
}
