/// What a camera says about itself (ISO 15740 §5.5.1): the only dataset that may be read outside a session.
public struct DeviceInfo: Sendable, Hashable {
    /// Standard version in hundredths: 100 or 110.
    public var standardVersion: UInt16 = 100
    /// Unreliable: many bodies claim MTP's.
    ///
    /// Kept for the match table, never decisive alone.
    public var vendorExtension: UInt32 = 0
    public var vendorExtensionVersion: UInt16 = 0
    public var vendorDescription = ""
    public var functionalMode: UInt16 = 0
    public var operations: Set<OperationCode> = []
    public var events: Set<EventCode> = []
    public var properties: Set<DevicePropertyCode> = []
    public var captureFormats: [FormatCode] = []
    public var imageFormats: [FormatCode] = []
    public var manufacturer = "", model = "", version = "", serial = ""

    public init() {}

    /// Text at the end may be missing, which some bodies do; anything else that ends early is `truncated`.
    public init(_ bytes: RawSpan) throws(PTPError) {
        var cursor = ByteCursor()
        standardVersion = try cursor.take(from: bytes)
        vendorExtension = try cursor.take(from: bytes)
        vendorExtensionVersion = try cursor.take(from: bytes)
        vendorDescription = try cursor.string(from: bytes)
        functionalMode = try cursor.take(from: bytes)
        operations = Set(try cursor.array(of: UInt16.self, from: bytes).map(OperationCode.init))
        events = Set(try cursor.array(of: UInt16.self, from: bytes).map(EventCode.init))
        properties = Set(try cursor.array(of: UInt16.self, from: bytes).map(DevicePropertyCode.init))
        captureFormats = try cursor.array(of: UInt16.self, from: bytes).map(FormatCode.init)
        imageFormats = try cursor.array(of: UInt16.self, from: bytes).map(FormatCode.init)
        manufacturer = try cursor.trailingString(from: bytes)
        model = try cursor.trailingString(from: bytes)
        version = try cursor.trailingString(from: bytes)
        serial = try cursor.trailingString(from: bytes)
    }

    public var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 512)
        writer.put(standardVersion)
        writer.put(vendorExtension)
        writer.put(vendorExtensionVersion)
        writer.put(string: vendorDescription)
        writer.put(functionalMode)
        writer.put(array: operations.map(\.rawValue).sorted())
        writer.put(array: events.map(\.rawValue).sorted())
        writer.put(array: properties.map(\.rawValue).sorted())
        writer.put(array: captureFormats.map(\.rawValue))
        writer.put(array: imageFormats.map(\.rawValue))
        for text in [manufacturer, model, version, serial] { writer.put(string: text) }
        return writer.bytes
    }

    public func offers(_ operation: OperationCode) -> Bool { operations.contains(operation) }
}
