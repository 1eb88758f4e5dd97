public import PTPKit
public import VirtualCamera

/// A virtual SL3.
public struct LeicaPersonality: Personality {
    public var info = DeviceInfo()
    public let folder = "DCIM/100LEICA"

    public init() {
        info.standardVersion = 110
        let vendor: Set<OperationCode> = [LeicaHandler.openControl, LeicaHandler.closeControl, LeicaHandler.stayActive]
        info.operations = StandardPersonality.operations.union(vendor)
        info.events = [.objectAdded, .objectRemoved, .storeAdded, .storeRemoved]
        (info.manufacturer, info.model, info.version, info.serial) = ("Leica Camera AG", "LEICA SL3", "2.0", "5712345")
    }

    public func answer(_ request: VirtualRequest, _ body: inout VirtualBody) -> Answer? {
        let control = [LeicaHandler.openControl, LeicaHandler.closeControl, LeicaHandler.stayActive].contains(
            request.operation.code)
        return control && body.session != nil ? .ok : nil
    }
}
