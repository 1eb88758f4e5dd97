extension Dictionary {
    /// Removes a value, and gives room back that a rush of values took: a dictionary keeps all the room that it ever
    /// had.
    @discardableResult
    mutating func drop(_ key: Key) -> Value? {
        guard let value = removeValue(forKey: key) else { return nil }
        if capacity > 256, count < capacity / 8 {
            var smaller = Self(minimumCapacity: count * 2)
            for (key, value) in self { smaller[key] = value }
            self = smaller
        }
        return value
    }
}
