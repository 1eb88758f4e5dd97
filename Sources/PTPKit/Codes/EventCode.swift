/// An event, ISO 15740 §12 and MTP 1.1 appendix G.
public struct EventCode: PTPCode {
    public var rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let cancelTransaction = Self(0x4001)
    public static let objectAdded = Self(0x4002)
    public static let objectRemoved = Self(0x4003)
    public static let storeAdded = Self(0x4004)
    public static let storeRemoved = Self(0x4005)
    public static let devicePropChanged = Self(0x4006)
    public static let objectInfoChanged = Self(0x4007)
    public static let deviceInfoChanged = Self(0x4008)
    public static let requestObjectTransfer = Self(0x4009)
    public static let storeFull = Self(0x400A)
    public static let deviceReset = Self(0x400B)
    public static let storageInfoChanged = Self(0x400C)
    public static let captureComplete = Self(0x400D)
    public static let unreportedStatus = Self(0x400E)
    public static let objectPropChanged = Self(0xC801)
    public static let objectPropDescChanged = Self(0xC802)
    public static let objectReferencesChanged = Self(0xC803)

    public static let names: [UInt16: String] = [
        0x4001: "CancelTransaction", 0x4002: "ObjectAdded", 0x4003: "ObjectRemoved", 0x4004: "StoreAdded",
        0x4005: "StoreRemoved", 0x4006: "DevicePropChanged", 0x4007: "ObjectInfoChanged", 0x4008: "DeviceInfoChanged",
        0x4009: "RequestObjectTransfer",
        0x400A: "StoreFull", 0x400B: "DeviceReset", 0x400C: "StorageInfoChanged", 0x400D: "CaptureComplete",
        0x400E: "UnreportedStatus", 0xC801: "ObjectPropChanged", 0xC802: "ObjectPropDescChanged",
        0xC803: "ObjectReferencesChanged",
    ]
}
