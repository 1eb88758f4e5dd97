/// What a device property can be and is (ISO 15740 §13.3.3).
public struct PropertyDescription: Sendable, Hashable {
    public enum Form: Sendable, Hashable {
        case none
        case range(minimum: PropertyValue, maximum: PropertyValue, step: PropertyValue)
        case choice([PropertyValue])
    }
    public var code: DevicePropertyCode, type: DataType
    /// 0 read only, 1 settable; makers use more.
    public var access: UInt8
    public var factory: PropertyValue, current: PropertyValue
    public var form: Form

    public init(
        code: DevicePropertyCode, type: DataType, access: UInt8, factory: PropertyValue, current: PropertyValue,
        form: Form = .none
    ) {
        (self.code, self.type, self.access, self.factory, self.current, self.form) = (
            code, type, access, factory, current, form
        )
    }

    public init(_ bytes: RawSpan) throws(PTPError) {
        var cursor = ByteCursor()
        try self.init(&cursor, bytes)
        form = try cursor.form(type, lenient: true, from: bytes)
    }

    /// Everything up to the form, from where the cursor stands.
    private init(_ cursor: inout ByteCursor, _ bytes: RawSpan) throws(PTPError) {
        code = DevicePropertyCode(try cursor.take(UInt16.self, from: bytes))
        type = DataType(try cursor.take(UInt16.self, from: bytes))
        access = try cursor.take(from: bytes)
        factory = try cursor.value(type, from: bytes)
        current = try cursor.value(type, from: bytes)
        form = .none
    }

    public var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.put(code.rawValue)
        writer.put(type.rawValue)
        writer.put(access)
        writer.put(factory, as: type)
        writer.put(current, as: type)
        switch form {
        case .none: writer.put(UInt8(0))
        case .range(let minimum, let maximum, let step):
            writer.put(UInt8(1))
            for value in [minimum, maximum, step] { writer.put(value, as: type) }
        case .choice(let values):
            writer.put(UInt8(2))
            writer.put(UInt16(truncatingIfNeeded: values.count))
            for value in values { writer.put(value, as: type) }
        }
        return writer.bytes
    }
}

extension ByteCursor {
    /// The form part of a property description.
    ///
    /// With `lenient`, an enumeration that counts more values than the data holds is read to the end of the data (a
    /// known body swaps the count's bytes), and a missing form is none.
    public mutating func form(_ type: DataType, lenient: Bool, from bytes: RawSpan) throws(PTPError)
        -> PropertyDescription.Form
    {
        if lenient, remaining(in: bytes) == 0 { return .none }
        switch try take(UInt8.self, from: bytes) {
        case 1:
            return .range(
                minimum: try value(type, from: bytes), maximum: try value(type, from: bytes),
                step: try value(type, from: bytes))
        case 2:
            let count = try Int(take(UInt16.self, from: bytes))
            var values: [PropertyValue] = []
            while values.count < count {
                if lenient, remaining(in: bytes) < max(1, type.width ?? 1) { break }
                values.append(try value(type, from: bytes))
            }
            return .choice(values)
        default: return .none
        }
    }
}
