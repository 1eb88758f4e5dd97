public import PTPKit
public import VirtualCamera

/// A virtual HERO.
public struct GoProPersonality: Personality {
    public var info = DeviceInfo()
    public let folder = "DCIM/100GOPRO"

    public init() {
        info.vendorExtension = 6
        info.vendorDescription = "microsoft.com: 1.0; android.com: 1.0;"
        info.operations = StandardPersonality.operations
        info.events = [.objectAdded, .objectRemoved, .storeAdded, .storeRemoved, .objectInfoChanged]
        (info.manufacturer, info.model, info.version, info.serial) = ("GoPro", "HERO9", "1.0", "C3441325123456")
    }
}
