import PTPKit

/// The standard's operations, as a body answers them.
enum StandardBody {
    static func answer(_ request: VirtualRequest, _ info: DeviceInfo, _ body: inout VirtualBody) -> Answer {
        let operation = request.operation
        guard info.offers(operation.code) else { return Answer(.operationNotSupported) }
        switch operation.code {
        case .getDeviceInfo: return .data(info.encoded)
        case .openSession: return open(operation.parameter(0), &body)
        default: break
        }
        guard body.session != nil else { return Answer(.sessionNotOpen) }
        return inSession(operation, &body)
    }

    private static func open(_ id: UInt32, _ body: inout VirtualBody) -> Answer {
        if let session = body.session { return Answer(.sessionAlreadyOpen, [session]) }
        guard id != 0 else { return Answer(.invalidParameter) }
        body.session = id
        return .ok
    }

    private static func inSession(_ operation: Operation, _ body: inout VirtualBody) -> Answer {
        switch operation.code {
        case .closeSession:
            body.session = nil
            return .ok
        case .getStorageIDs: return .data(words(body.cards.map(\.storage.rawValue)))
        case .getStorageInfo:
            return body.card(StorageID(operation.parameter(0))).map { .data($0.info.encoded) }
                ?? Answer(.invalidStorageID)
        case .getNumObjects, .getObjectHandles: return handles(operation, body)
        case .getObjectInfo: return with(operation, body) { .data($0.info.encoded) }
        case .getObject:
            return with(operation, body) { Answer(.ok, payload: .part($0.content, offset: 0, count: $0.size)) }
        case .getThumb:
            return with(operation, body) {
                $0.info.thumbSize == 0 ? Answer(.noThumbnail) : .data(VirtualThumbnail.jpeg(of: $0.info.name))
            }
        case .getPartialObject:
            return part(operation, body, offset: UInt64(operation.parameter(1)), most: operation.parameter(2))
        case .getPartialObject64:
            let offset = UInt64(operation.parameter(1)) | UInt64(operation.parameter(2)) << 32
            return part(operation, body, offset: offset, most: operation.parameter(3))
        case .getDevicePropDesc, .getDevicePropValue: return battery(operation)
        case .getObjectPropsSupported: return .data(supported)
        case .getObjectPropValue: return property(operation, body)
        case .getObjectPropList: return list(operation, body)
        case .deleteObject, .sendObjectInfo, .formatStore: return Answer(.storeReadOnly)
        default: return Answer(.operationNotSupported)
        }
    }

    private static func handles(_ operation: Operation, _ body: VirtualBody) -> Answer {
        let storage = StorageID(operation.parameter(0)), parent = ObjectHandle(operation.parameter(2))
        let cards = storage == .all ? body.cards : body.cards.filter { $0.storage == storage }
        guard !cards.isEmpty || storage == .all else { return Answer(.invalidStorageID) }
        guard operation.parameter(1) == 0 else { return Answer(.specificationByFormatUnsupported) }
        let found = cards.flatMap { parent.rawValue == 0 ? $0.order : $0.below(parent) }
        if parent.isReal, body.object(parent) == nil { return Answer(.invalidObjectHandle) }
        if operation.code == .getNumObjects { return Answer(.ok, [UInt32(found.count)]) }
        return .data(words(found.map(\.rawValue)))
    }

    private static func part(_ operation: Operation, _ body: VirtualBody, offset: UInt64, most: UInt32) -> Answer {
        with(operation, body) { object in
            guard offset <= object.size else { return Answer(.invalidParameter) }
            let count = min(UInt64(most), object.size - offset)
            return Answer(.ok, [UInt32(count)], payload: .part(object.content, offset: offset, count: count))
        }
    }

    private static func battery(_ operation: Operation) -> Answer {
        guard operation.parameter(0) == UInt32(DevicePropertyCode.batteryLevel.rawValue) else {
            return Answer(.devicePropNotSupported)
        }
        if operation.code == .getDevicePropValue { return .data([80]) }
        let form = PropertyDescription.Form.range(minimum: .unsigned(0), maximum: .unsigned(100), step: .unsigned(1))
        return .data(
            PropertyDescription(
                code: .batteryLevel, type: .uint8, access: 0, factory: .unsigned(100), current: .unsigned(80),
                form: form
            ).encoded)
    }

    static func with(_ operation: Operation, _ body: VirtualBody, _ make: (VirtualObject) -> Answer) -> Answer {
        body.object(ObjectHandle(operation.parameter(0))).map(make) ?? Answer(.invalidObjectHandle)
    }

    static func words(_ values: [UInt32]) -> [UInt8] {
        var writer = ByteWriter(capacity: 4 * values.count + 4)
        writer.put(array: values)
        return writer.bytes
    }
}
