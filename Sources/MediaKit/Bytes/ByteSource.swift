/// Random access to the bytes of one file: on disk, or in memory for tests and fuzzing.
public protocol ByteSource {
    /// Bytes.
    var size: UInt64 { get }
    /// Up to `count` bytes from `offset` on: fewer at the end, none behind it; nil when the medium cannot be read. May
    /// block.
    func read(at offset: UInt64, count: Int) -> [UInt8]?
}

/// Bytes that are in memory already.
public struct MemorySource: ByteSource, Sendable {
    private let bytes: [UInt8]

    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    public var size: UInt64 { UInt64(bytes.count) }

    public func read(at offset: UInt64, count: Int) -> [UInt8]? {
        guard offset < size, count > 0 else { return [] }
        let start = Int(offset)
        return Array(bytes[start..<start + min(count, bytes.count - start)])
    }
}
