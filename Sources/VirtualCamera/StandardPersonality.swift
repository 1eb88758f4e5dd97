public import PTPKit

/// A body that follows the standard, with MTP's object properties.
public struct StandardPersonality: Personality {
    public var info = DeviceInfo()

    public init(model: String = "Standard Camera", serial: String = "00000001") {
        info.vendorExtension = 6
        info.vendorExtensionVersion = 100
        info.vendorDescription = "microsoft.com: 1.0;"
        info.operations = Self.operations
        info.events = [.objectAdded, .objectRemoved, .storeAdded, .storeRemoved, .devicePropChanged]
        info.properties = [.batteryLevel]
        info.imageFormats = [.exifJPEG, .undefined]
        (info.manufacturer, info.model, info.version, info.serial) = ("Filmgate", model, "1.0", serial)
    }

    /// Changes what the body says about itself.
    public func with(_ change: (inout DeviceInfo) -> Void) -> StandardPersonality {
        var copy = self
        change(&copy.info)
        return copy
    }

    public static let operations: Set<OperationCode> = [
        .getDeviceInfo, .openSession, .closeSession, .getStorageIDs, .getStorageInfo, .getNumObjects, .getObjectHandles,
        .getObjectInfo, .getObject, .getThumb, .getDevicePropDesc, .getDevicePropValue, .getPartialObject,
        .getPartialObject64, .getObjectPropsSupported, .getObjectPropValue, .getObjectPropList,
    ]
}
