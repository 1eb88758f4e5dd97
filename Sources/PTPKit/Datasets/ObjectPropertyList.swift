/// Properties of many objects in one answer (MTP 1.1 §E.2.1.1, ObjectPropList).
public struct ObjectPropertyList: Sendable, Hashable {
    public struct Element: Sendable, Hashable {
        public var handle: ObjectHandle, property: ObjectPropertyCode, type: DataType, value: PropertyValue
        public init(handle: ObjectHandle, property: ObjectPropertyCode, type: DataType, value: PropertyValue) {
            (self.handle, self.property, self.type, self.value) = (handle, property, type, value)
        }
    }
    public var elements: [Element]

    public init(_ elements: [Element]) { self.elements = elements }

    public init(_ bytes: RawSpan) throws(PTPError) {
        var cursor = ByteCursor()
        let count = try Self.count(bytes, &cursor)
        elements = []
        elements.reserveCapacity(count)
        for _ in 0..<count { elements.append(try Self.element(bytes, &cursor)) }
    }

    /// How many elements follow.
    static func count(_ bytes: RawSpan, _ cursor: inout ByteCursor) throws(PTPError) -> Int {
        let count = try Int(cursor.take(UInt32.self, from: bytes))
        // The smallest element is a u8 value behind its eight-byte head.
        guard count <= cursor.remaining(in: bytes) / 9 else { throw .truncated(at: cursor.offset) }
        return count
    }

    static func element(_ bytes: RawSpan, _ cursor: inout ByteCursor) throws(PTPError) -> Element {
        let handle = ObjectHandle(try cursor.take(from: bytes))
        let property = ObjectPropertyCode(try cursor.take(UInt16.self, from: bytes))
        let type = DataType(try cursor.take(UInt16.self, from: bytes))
        return Element(handle: handle, property: property, type: type, value: try cursor.value(type, from: bytes))
    }

    /// Passes over an element; whose it is.
    static func skip(_ bytes: RawSpan, _ cursor: inout ByteCursor) throws(PTPError) -> ObjectHandle {
        let handle = ObjectHandle(try cursor.take(from: bytes))
        try cursor.skip(2, in: bytes)
        try cursor.skipValue(DataType(cursor.take(UInt16.self, from: bytes)), in: bytes)
        return handle
    }

    public var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 16 * elements.count + 4)
        writer.put(UInt32(truncatingIfNeeded: elements.count))
        for element in elements {
            writer.put(element.handle.rawValue)
            writer.put(element.property.rawValue)
            writer.put(element.type.rawValue)
            writer.put(element.value, as: element.type)
        }
        return writer.bytes
    }
}
