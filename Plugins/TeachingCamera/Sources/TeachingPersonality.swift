public import PTPKit
public import VirtualCamera

/// Step 5: a virtual Acme body, so that there is something to test against.
public struct TeachingPersonality: Personality {
    public var info = StandardPersonality().info

    public init() {
        (info.manufacturer, info.model, info.serial) = ("Acme Optical Works", "Acme Roadrunner", "0042")
        info.operations.insert(TeachingHandler.stayAwake)
        info.events.insert(TeachingHandler.shutter)
    }

    public func answer(_ request: VirtualRequest, _ body: inout VirtualBody) -> Answer? {
        request.operation.code == TeachingHandler.stayAwake ? .ok : nil
    }

    public func announce(_ objects: [VirtualObject], folders: [VirtualObject], _ body: inout VirtualBody) {
        for (count, object) in (folders + objects).enumerated() {
            body.post(PTPEvent(TeachingHandler.shutter, [UInt32(count), object.handle.rawValue]))
        }
    }
}
