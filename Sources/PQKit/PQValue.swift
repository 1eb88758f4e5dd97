import Glibc

/// A parameter of a query: its type in the server's numbering and its bytes in the server's binary form, or no bytes
/// for NULL.
///
/// Numbers and forms: `pg_type.dat` and the `…recv` functions of PostgreSQL's source.
public struct PQValue: Sendable, Hashable {
    let type: UInt32, bytes: [UInt8]?

    init(_ type: UInt32, _ bytes: [UInt8]?) { (self.type, self.bytes) = (type, bytes) }

    public static func bool(_ value: Bool?) -> PQValue { PQValue(PQType.bool, value.map { [$0 ? 1 : 0] }) }
    public static func int2(_ value: Int16?) -> PQValue { PQValue(PQType.int2, value.map(Self.big)) }
    public static func int4(_ value: Int32?) -> PQValue { PQValue(PQType.int4, value.map(Self.big)) }
    public static func int8(_ value: Int64?) -> PQValue { PQValue(PQType.int8, value.map(Self.big)) }
    public static func float8(_ value: Double?) -> PQValue { PQValue(PQType.float8, value.map { big($0.bitPattern) }) }
    /// NUL, which the server refuses in text, becomes U+FFFD.
    public static func text(_ value: String?) -> PQValue { PQValue(PQType.text, value.map(Self.utf8)) }
    public static func bytes(_ value: [UInt8]?) -> PQValue { PQValue(PQType.bytea, value) }
    /// 16 bytes; anything else is refused by the server.
    public static func uuid(_ value: [UInt8]?) -> PQValue { PQValue(PQType.uuid, value) }
    /// One byte, PostgreSQL's `"char"`.
    public static func char(_ value: UInt8?) -> PQValue { PQValue(PQType.char, value.map { [$0] }) }
    public static func json(_ value: String?) -> PQValue { PQValue(PQType.jsonb, value.map { [1] + utf8($0) }) }
    /// Nanoseconds since 1970, cut to microseconds.
    public static func time(_ value: Int64?) -> PQValue { PQValue(PQType.time, value.map { big(PQTime.server($0)) }) }

    public static func int2s(_ values: [Int16?]) -> PQValue { numbers(PQType.int2s, PQType.int2, values) }
    public static func int4s(_ values: [Int32?]) -> PQValue { numbers(PQType.int4s, PQType.int4, values) }
    public static func int8s(_ values: [Int64?]) -> PQValue { numbers(PQType.int8s, PQType.int8, values) }
    public static func texts(_ values: [String?]) -> PQValue {
        var hasNUL = false
        let found = array(PQType.texts, PQType.text, values, length: { $0.utf8.count }) { text, place in
            var text = text
            text.withUTF8 { place.copyMemory(from: UnsafeRawBufferPointer($0)) }
            hasNUL = hasNUL || place.baseAddress.map { memchr($0, 0, place.count) != nil } == true
        }
        return hasNUL ? texts(values.map { $0.map { String(decoding: utf8($0), as: UTF8.self) } }) : found
    }
    public static func bytes(_ values: [[UInt8]?]) -> PQValue { pieces(PQType.byteas, PQType.bytea, values) }
    public static func uuids(_ values: [[UInt8]?]) -> PQValue { pieces(PQType.uuids, PQType.uuid, values) }
    public static func chars(_ values: [UInt8?]) -> PQValue { numbers(PQType.chars, PQType.char, values) }
    public static func bools(_ values: [Bool?]) -> PQValue {
        array(PQType.bools, PQType.bool, values, length: { _ in 1 }) { $1[0] = $0 ? 1 : 0 }
    }

    private static func utf8(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        return bytes.contains(0) ? Array(String(text.map { $0 == "\0" ? "\u{FFFD}" : $0 }).utf8) : bytes
    }

    private static func big(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    private static func numbers<Number: FixedWidthInteger>(
        _ type: UInt32, _ element: UInt32, _ values: [Number?]
    ) -> PQValue {
        array(type, element, values, length: { _ in MemoryLayout<Number>.size }) {
            $1.storeBytes(of: $0.bigEndian, as: Number.self)
        }
    }

    private static func pieces(_ type: UInt32, _ element: UInt32, _ values: [[UInt8]?]) -> PQValue {
        array(type, element, values, length: { $0.count }) { $1.copyBytes(from: $0) }
    }

    /// One dimension, counted from 1: how many dimensions, whether there is a NULL, the elements' type, count, first
    /// number, elements.
    ///
    /// A report has ten thousand elements: what they take is counted first, and each is written to its place by `put`,
    /// which gets as many bytes as `length` says.
    @inline(__always)
    private static func array<Element>(
        _ type: UInt32, _ element: UInt32, _ values: [Element?], length: (Element) -> Int,
        put: (Element, UnsafeMutableRawBufferPointer) -> Void
    ) -> PQValue {
        if values.isEmpty { return PQValue(type, big(Int32(0)) + big(Int32(0)) + big(element)) }
        var size = 20 + 4 * values.count, hasNull = false
        for value in values {
            if let value { size += length(value) } else { hasNull = true }
        }
        let head = (Int32(1), Int32(hasNull ? 1 : 0), Int32(bitPattern: element), Int32(values.count), Int32(1))
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { room, count in
            let room = UnsafeMutableRawBufferPointer(room)
            var end = 0
            func add(_ number: Int32) {
                room.storeBytes(of: number.bigEndian, toByteOffset: end, as: Int32.self)
                end += 4
            }
            add(head.0)
            add(head.1)
            add(head.2)
            add(head.3)
            add(head.4)
            for value in values {
                guard let value else {
                    add(-1)
                    continue
                }
                let length = length(value)
                add(Int32(length))
                put(value, UnsafeMutableRawBufferPointer(rebasing: room[end..<end + length]))
                end += length
            }
            count = end
        }
        return PQValue(type, bytes)
    }
}

/// The numbers of PostgreSQL's own types, the same in every database.
enum PQType {
    static let bool: UInt32 = 16, bytea: UInt32 = 17, char: UInt32 = 18, name: UInt32 = 19, int8: UInt32 = 20
    static let int2: UInt32 = 21
    static let int4: UInt32 = 23, text: UInt32 = 25, oid: UInt32 = 26, json: UInt32 = 114, float8: UInt32 = 701
    static let varchar: UInt32 = 1043
    static let time: UInt32 = 1184, uuid: UInt32 = 2950, jsonb: UInt32 = 3802
    static let bools: UInt32 = 1000, byteas: UInt32 = 1001, chars: UInt32 = 1002, int2s: UInt32 = 1005
    static let int4s: UInt32 = 1007
    static let texts: UInt32 = 1009, int8s: UInt32 = 1016, uuids: UInt32 = 2951
}

/// The server counts microseconds since 2000.
enum PQTime {
    private static let offset: Int64 = 946_684_800_000_000
    static func server(_ nanoseconds: Int64) -> Int64 { nanoseconds / 1000 - offset }
    /// Nanoseconds since 1970; nil for what does not fit, such as infinity.
    static func house(_ microseconds: Int64) -> Int64? {
        let (sum, over) = microseconds.addingReportingOverflow(offset)
        let (result, tooLarge) = sum.multipliedReportingOverflow(by: 1000)
        return over || tooLarge ? nil : result
    }
}
