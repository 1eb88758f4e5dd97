import FilmgateCore
public import PTPKit
public import VirtualCamera

/// A virtual EOS R6 Mark II.
public struct CanonPersonality: Personality {
    public var info = DeviceInfo()
    public let greeting = "EOS R6 Mark II"
    public let firstHandle: UInt32 = 0x9190_0001
    public let folder = "DCIM/100EOSR6"
    /// Refuses EOS listings, as the R5 Mark II does.
    public var refusesListing = false
    /// Shots go to the computer's memory instead of the card.
    public var toHost = false

    public init() {
        info.vendorExtension = 6
        info.vendorExtensionVersion = 100
        let ranges: [ClosedRange<UInt16>] = [
            0x1001...0x100A, 0x1014...0x1014, 0x1016...0x1016, 0x101B...0x101B, 0x9101...0x9103, 0x9107...0x910A,
            0x910C...0x910C, 0x9110...0x9110, 0x9114...0x9117, 0x911A...0x911A, 0x911D...0x911D, 0x9127...0x9127,
            0x9174...0x9174, 0x9803...0x9803,
        ]
        info.operations = Set(ranges.flatMap { $0 }.map { OperationCode($0) })
        info.events = [0xC181, .objectInfoChanged, .requestObjectTransfer, 0xC1A7]
        info.properties = [0xD402, 0xD406, 0xD407, 0xD303, .batteryLevel]
        info.imageFormats = [.exifJPEG, 0xB108]
        (info.manufacturer, info.model, info.version, info.serial) = (
            "Canon.Inc", "Canon EOS R6m2", "3-1.6.0", "000012345678"
        )
    }

    public func answer(_ request: VirtualRequest, _ body: inout VirtualBody) -> Answer? {
        let operation = request.operation
        guard body.session != nil else { return nil }
        switch operation.code.rawValue {
        case 0x9101: return .data(words(body.cards.map(\.storage.rawValue)))
        case 0x9109: return refusesListing ? Answer(.operationNotSupported) : listing(operation, body)
        case 0x9114, 0x910C, 0x911A, 0x911D, 0x9127: return .ok
        case 0x9115:
            body[EOSBody.self].isListening = operation.parameter(0) == 1
            if body[EOSBody.self].isListening { body[EOSBody.self].queue += EOSRecords.greeting }
            return .ok
        case 0x9116:
            let blob = body[EOSBody.self].queue + EOSRecords.end
            body[EOSBody.self].queue = []
            return .data(blob)
        case 0x9107:
            return body[EOSBody.self].waiting[operation.parameter(0)].map { content in
                let count = min(
                    UInt64(operation.parameter(2)), content.size - min(content.size, UInt64(operation.parameter(1))))
                return Answer(
                    .ok, [UInt32(count)], payload: .part(content, offset: UInt64(operation.parameter(1)), count: count))
            } ?? Answer(.invalidObjectHandle)
        case 0x9174:
            guard let object = body.object(ObjectHandle(operation.parameter(0))) else {
                return Answer(.invalidObjectHandle)
            }
            let offset = UInt64(operation.parameter(1)) | UInt64(operation.parameter(2)) << 32
            guard offset <= object.size else { return Answer(.invalidParameter) }
            let count = min(UInt64(operation.parameter(3)), object.size - offset)
            return Answer(.ok, [UInt32(count)], payload: .part(object.content, offset: offset, count: count))
        case 0x9117:
            let isKnown = body[EOSBody.self].waiting.removeValue(forKey: operation.parameter(0)) != nil
            return isKnown ? .ok : Answer(.invalidObjectHandle)
        default: return nil
        }
    }

    private func listing(_ operation: Operation, _ body: VirtualBody) -> Answer {
        guard let card = body.card(StorageID(operation.parameter(0))) else { return Answer(.invalidStorageID) }
        let objects = card.below(ObjectHandle(operation.parameter(1))).compactMap { card[$0] }
        var writer = ByteWriter(capacity: 60 * objects.count)
        writer.put(UInt32(objects.count))
        for object in objects { writer.put(contentsOf: EOSRecords.entry(object)) }
        return .data(writer.bytes)
    }

    private func words(_ values: [UInt32]) -> [UInt8] {
        var writer = ByteWriter()
        writer.put(array: values)
        return writer.bytes
    }

    /// Records are queued only while somebody listens.
    public func announce(_ objects: [VirtualObject], folders: [VirtualObject], _ body: inout VirtualBody) {
        guard body[EOSBody.self].isListening else { return }
        var queue = EOSRecords.status(1)
        for object in folders { queue += EOSRecords.added(object, group: 0) }
        let group = (objects.first?.handle.rawValue ?? 0) & 0xFFFF_FFF0
        for object in objects {
            if toHost {
                body.cards[0].remove(object.handle)
                body[EOSBody.self].waiting[object.handle.rawValue] = object.content
                queue += EOSRecords.waiting(object)
            } else {
                queue += EOSRecords.added(object, group: group)
            }
        }
        body[EOSBody.self].queue += queue + EOSRecords.status(0)
    }
}

/// The part of a body's state that only EOS has.
struct EOSBody: HandlerMemory, Sendable {
    var isListening = false
    var queue: [UInt8] = []
    var waiting: [UInt32: Content] = [:]
}
