import PTPKit

/// Object properties (MTP 1.1 appendix B).
extension StandardBody {
    private static let properties: [(ObjectPropertyCode, DataType)] = [
        (.storageID, .uint32), (.objectFormat, .uint16), (.protectionStatus, .uint16), (.objectSize, .uint64),
        (.associationType, .uint16), (.objectFileName, .string), (.dateCreated, .string), (.dateModified, .string),
        (.parentObject, .uint32),
    ]

    static var supported: [UInt8] {
        var writer = ByteWriter()
        writer.put(array: properties.map(\.0.rawValue))
        return writer.bytes
    }

    private static func value(_ code: ObjectPropertyCode, _ object: VirtualObject) -> PropertyValue {
        switch code {
        case .storageID: .unsigned(UInt64(object.info.storage.rawValue))
        case .objectFormat: .unsigned(UInt64(object.info.format.rawValue))
        case .protectionStatus: .unsigned(UInt64(object.info.protection))
        case .objectSize: .unsigned(object.size)
        case .associationType: .unsigned(UInt64(object.info.associationType))
        case .objectFileName: .text(object.info.name)
        case .dateCreated: .text(object.info.captured)
        case .dateModified: .text(object.info.modified)
        default: .unsigned(UInt64(object.info.parent.rawValue))
        }
    }

    static func property(_ operation: Operation, _ body: VirtualBody) -> Answer {
        with(operation, body) { object in
            let code = ObjectPropertyCode(UInt16(truncatingIfNeeded: operation.parameter(1)))
            guard let type = properties.first(where: { $0.0 == code })?.1 else { return Answer(.invalidObjectPropCode) }
            var writer = ByteWriter()
            writer.put(value(code, object), as: type)
            return .data(writer.bytes)
        }
    }

    /// One level deep at most, as most bodies answer it.
    static func list(_ operation: Operation, _ body: VirtualBody) -> Answer {
        let handle = ObjectHandle(operation.parameter(0)), wanted = operation.parameter(2)
        let depth = operation.parameter(4)
        guard depth <= 1 else { return Answer(.depthUnsupported) }
        guard operation.parameter(1) == 0 else { return Answer(.specificationByFormatUnsupported) }
        guard operation.parameter(3) == 0 else { return Answer(.groupUnsupported) }
        let parent = handle.isReal ? handle : .root
        let handles = depth == 0 && handle.isReal ? [handle] : body.cards.flatMap { $0.below(parent) }
        var elements: [ObjectPropertyList.Element] = []
        for object in handles.compactMap(body.object) {
            for (code, type) in properties where wanted == 0xFFFF_FFFF || wanted == UInt32(code.rawValue) {
                elements.append(.init(handle: object.handle, property: code, type: type, value: value(code, object)))
            }
        }
        return .data(ObjectPropertyList(elements).encoded)
    }
}
