public import PTPKit
public import VirtualCamera

/// A virtual K-3 II.
public struct PentaxPersonality: Personality {
    public var info = DeviceInfo()
    public let folder = "DCIM/100PENTX"

    public init() {
        info.vendorExtension = 6
        info.operations = StandardPersonality.operations.subtracting([.getPartialObject64, .getObjectPropList])
        info.events = [.objectAdded, .objectRemoved, .storeAdded, .storeRemoved]
        (info.manufacturer, info.model) = ("RICOH IMAGING COMPANY, LTD.", "PENTAX K-3 II")
        (info.version, info.serial) = ("1.10", "4512345")
    }
}
