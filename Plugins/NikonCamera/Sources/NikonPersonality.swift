public import PTPKit
public import VirtualCamera

/// A virtual Z 9, or an older body.
public struct NikonPersonality: Personality {
    public var info = DeviceInfo()
    public var greeting: String { info.model.replacing(" ", with: "_") }
    public let folder = "DCIM/100NCZ_9"
    /// New objects are told about on the event channel, too.
    public var usesChannel = true
    /// The owner has marked files for transfer: standard access is refused.
    public var refusesStandardReads = false
    public var isPaired = true

    /// `isOld`: the one event operation of D bodies, and no 64-bit reads.
    public init(isOld: Bool = false) {
        info.vendorExtension = isOld ? 0xA : 0xFFFF_FFFF
        info.vendorExtensionVersion = isOld ? 100 : 110
        info.vendorDescription = isOld ? "" : "Microsoft.com/DeviceServices: 1.0"
        let common: [ClosedRange<UInt16>] = [
            0x1001...0x100B, 0x1014...0x1016, 0x101B...0x101B, 0x90C7...0x90C8, 0x90CA...0x90CA, 0x9202...0x9202,
        ]
        let newer: [ClosedRange<UInt16>] = [0x941C...0x941C, 0x9421...0x9421, 0x9431...0x9431, 0x9803...0x9803]
        info.operations = Set((common + (isOld ? [] : newer)).flatMap { $0 }.map { OperationCode($0) })
        info.events = [.objectAdded, .objectRemoved, .storeAdded, .storeRemoved, .captureComplete, 0xC101]
        info.properties = [.batteryLevel]
        info.imageFormats = [.exifJPEG, .undefinedImage]
        (info.manufacturer, info.model) = ("Nikon Corporation", isOld ? "NIKON DSC D600" : "Z 9")
        (info.version, info.serial) = ("V4.00", "0000000000000000000000006001234")
    }

    /// With the operations of a body that wants to be paired over the network.
    public func pairing(isPaired: Bool) -> NikonPersonality {
        var copy = self
        copy.info.operations.formUnion([0x9435, 0x952B, 0x935A])
        copy.isPaired = isPaired
        return copy
    }

    public func answer(_ request: VirtualRequest, _ body: inout VirtualBody) -> Answer? {
        let operation = request.operation
        guard info.offers(operation.code), body.session != nil else { return nil }
        switch operation.code.rawValue {
        case 0x90C7: return .data(plain(body[NikonBody.self].drain()))
        case 0x941C: return .data(extended(body[NikonBody.self].drain()))
        case 0x90C8, 0x9202: return .ok
        case 0x90CA: return .data([0, 0, 0, 0])
        case 0x9435: return isPaired ? .ok : Answer(.accessDenied)
        case 0x9421:
            return body.object(ObjectHandle(operation.parameter(0))).map { object in
                var writer = ByteWriter()
                writer.put(object.size)
                return .data(writer.bytes)
            } ?? Answer(.invalidObjectHandle)
        case 0x9431: return part(operation, body)
        case 0x1009, 0x101B: return refusesStandardReads ? Answer(.accessDenied) : nil
        default: return nil
        }
    }

    private func part(_ operation: Operation, _ body: VirtualBody) -> Answer {
        guard let object = body.object(ObjectHandle(operation.parameter(0))) else {
            return Answer(.invalidObjectHandle)
        }
        let offset = UInt64(operation.parameter(1)) | UInt64(operation.parameter(2)) << 32
        let most = UInt64(operation.parameter(3)) | UInt64(operation.parameter(4)) << 32
        guard offset <= object.size else { return Answer(.invalidParameter) }
        let count = min(most, object.size - offset)
        let payload = Answer.Payload.part(object.content, offset: offset, count: count)
        return Answer(
            .ok, [UInt32(truncatingIfNeeded: count), UInt32(truncatingIfNeeded: count >> 32)], payload: payload)
    }

    public func announce(_ objects: [VirtualObject], folders: [VirtualObject], _ body: inout VirtualBody) {
        for object in folders + objects {
            let event = PTPEvent(.objectAdded, [object.handle.rawValue])
            body[NikonBody.self].queue.append(event)
            if usesChannel { body.post(event) }
        }
        body[NikonBody.self].queue.append(PTPEvent(.captureComplete, [0]))
    }

    private func plain(_ events: [PTPEvent]) -> [UInt8] {
        var writer = ByteWriter()
        writer.put(UInt16(events.count))
        for event in events {
            writer.put(event.code.rawValue)
            writer.put(event.parameter(0) ?? 0)
        }
        return writer.bytes
    }

    private func extended(_ events: [PTPEvent]) -> [UInt8] {
        var writer = ByteWriter()
        writer.put(UInt32(events.count))
        for event in events {
            writer.put(event.code.rawValue)
            writer.put(UInt16(event.parameters.count))
            for parameter in event.parameters { writer.put(parameter) }
        }
        return writer.bytes
    }
}

/// The queue that both event operations drain.
struct NikonBody: HandlerMemory, Sendable {
    var queue: [PTPEvent] = []
    mutating func drain() -> [PTPEvent] {
        defer { queue = [] }
        return queue
    }
}
