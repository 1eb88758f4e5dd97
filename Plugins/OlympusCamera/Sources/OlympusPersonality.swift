public import PTPKit
public import VirtualCamera

/// A virtual OM-1 Mark II.
public struct OlympusPersonality: Personality {
    public var info = DeviceInfo()
    public let folder = "DCIM/100OMSYS"

    public init() {
        info.vendorExtension = 0
        let vendor: Set<OperationCode> = [.setDevicePropValue, 0x9481, 0x9486]
        info.operations = StandardPersonality.operations.subtracting([.getPartialObject64, .getObjectPropList]).union(
            vendor)
        info.events = [.objectAdded, .storeAdded, .storeRemoved, 0xC102, 0xC108, 0xC10E]
        info.properties = [.batteryLevel, OlympusHandler.controlMode]
        (info.manufacturer, info.model, info.version, info.serial) = (
            "OM Digital Solutions", "OM-1MarkII", "1.2", "BJ0A12345"
        )
    }

    public func answer(_ request: VirtualRequest, _ body: inout VirtualBody) -> Answer? {
        guard body.session != nil else { return nil }
        switch request.operation.code.rawValue {
        case 0x1016, 0x9481: return .ok
        case 0x9486: return .data([0, 0, 0, 0])
        default: return nil
        }
    }

    /// By its own event and by the standard's, as bodies do.
    public func announce(_ objects: [VirtualObject], folders: [VirtualObject], _ body: inout VirtualBody) {
        for object in folders + objects {
            body.post(PTPEvent(0xC102, [object.handle.rawValue]))
            body.post(PTPEvent(.objectAdded, [object.handle.rawValue]))
        }
    }
}
