public import PTPKit
public import VirtualCamera

/// A virtual GH5, which shows all its operations only to a host that has introduced itself.
public struct PanasonicPersonality: Personality {
    public var info = DeviceInfo()
    public let folder = "DCIM/100_PANA"

    public init() {
        info.vendorExtension = 0x1C
        info.vendorExtensionVersion = 100
        let vendor: Set<OperationCode> = [0x100B, .setDevicePropValue, .lumixOpen, .lumixClose, .lumixProperty]
        info.operations = StandardPersonality.operations.subtracting([.getPartialObject64, .getObjectPropList]).union(
            vendor)
        info.events = [.storeAdded, .storeRemoved, .devicePropChanged, 0xC101, 0xC107, PanasonicHandler.added]
        info.properties = [.batteryLevel, PanasonicHandler.initiator]
        (info.manufacturer, info.model, info.version, info.serial) = (
            "Panasonic", "DC-GH5", "1.0", "00000000000000000XGA8123456"
        )
    }

    public func answer(_ request: VirtualRequest, _ body: inout VirtualBody) -> Answer? {
        let operation = request.operation
        switch operation.code {
        case .getDeviceInfo:
            var shown = info
            if !body[PanasonicBody.self].isIntroduced { shown.operations.subtract([.getPartialObject, 0x100B]) }
            return .data(shown.encoded)
        case .setDevicePropValue where operation.parameter(0) == UInt32(PanasonicHandler.initiator.rawValue):
            var cursor = ByteCursor()
            let text = try? cursor.string(from: request.data.span.bytes)
            body[PanasonicBody.self].isIntroduced = text == PanasonicHandler.introduction
            return .ok
        case .lumixOpen, .lumixClose: return body.session == nil ? nil : .ok
        case .getPartialObject where !body[PanasonicBody.self].isIntroduced: return Answer(.operationNotSupported)
        default: return nil
        }
    }

    public func announce(_ objects: [VirtualObject], folders: [VirtualObject], _ body: inout VirtualBody) {
        for object in folders + objects { body.post(PTPEvent(PanasonicHandler.added, [object.handle.rawValue])) }
    }
}

struct PanasonicBody: HandlerMemory, Sendable { var isIntroduced = false }
