import FilmgateCore
import PTPKit

/// The answer to EOS GetEvent (0x9116): records of size, type and fields, ended by a record of type 0.
struct EOSEvents {
    struct Object {
        var handle: ObjectHandle, storage = StorageID(0), format: FormatCode, size: UInt64
        var parent = ObjectHandle(0), group: ObjectHandle? = nil, name: String, time: CivilTime? = nil
    }
    enum Record {
        case added(Object)
        /// A record whose layout says no more than the handle.
        case addedHandle(ObjectHandle)
        /// Waits in the body's memory to be taken.
        case waiting(Object)
        case removed(ObjectHandle)
        case storesChanged
        case other(UInt32)
    }
    /// A record larger than any body sends would only be a wrong length.
    private static let recordLimit = 4096

    private(set) var records: [Record] = []

    /// Reads as far as the records make sense: what is broken ends the reading, what came before it counts.
    init(_ bytes: RawSpan) {
        var offset = 0
        while bytes.byteCount - offset >= 8, records.count < Self.recordLimit {
            var cursor = ByteCursor(at: offset)
            guard let size: UInt32 = try? cursor.take(from: bytes), let type: UInt32 = try? cursor.take(from: bytes)
            else { return }
            guard type != 0, size >= 8, Int(size) <= bytes.byteCount - offset else { return }
            records.append(Self.record(type, bytes.extracting(offset..<offset + Int(size))))
            offset += Int(size)
        }
    }

    /// One record; a known type that is too short for its fields is no news.
    private static func record(_ type: UInt32, _ bytes: RawSpan) -> Record {
        let record: Record? =
            switch type {
            case 0xC181: try? .added(object(bytes, size: 0x1C, parent: 0x20, name: 0x28))
            case 0xC1A7: try? .added(wide(bytes))
            case 0xC1B6: (try? word(bytes, 8)).map { .addedHandle(ObjectHandle($0)) }
            case 0xC186: try? .waiting(waiting(bytes))
            case 0xC1A9: try? .waiting(waiting(bytes))
            case 0xC182: (try? word(bytes, 8)).map { .removed(ObjectHandle($0)) }
            case 0xC184, 0xC192, 0xC193: .storesChanged
            default: nil
            }
        return record ?? .other(type)
    }

    private static func word(_ bytes: RawSpan, _ offset: Int) throws(PTPError) -> UInt32 {
        var cursor = ByteCursor(at: offset)
        return try cursor.take(from: bytes)
    }

    private static func object(_ bytes: RawSpan, size: Int, parent: Int, name: Int) throws(PTPError) -> Object {
        Object(
            handle: ObjectHandle(try word(bytes, 8)), storage: StorageID(try word(bytes, 12)),
            format: FormatCode(UInt16(truncatingIfNeeded: try word(bytes, 16))), size: UInt64(try word(bytes, size)),
            parent: ObjectHandle(try word(bytes, parent)), name: try text(bytes, name))
    }

    /// ObjectAddedEx64: a 64-bit size, the group that RAW and JPEG share, and the time by the camera's clock.
    private static func wide(_ bytes: RawSpan) throws(PTPError) -> Object {
        var object = try object(bytes, size: 0x1C, parent: 0x24, name: 0x2C)
        object.size |= UInt64(try word(bytes, 0x20)) << 32
        object.group = ObjectHandle(try word(bytes, 0x28))
        object.time = (try? word(bytes, 0x3C)).flatMap {
            $0 == 0 ? nil : CivilTime(unixSeconds: Int64($0), offsetMinutes: nil)
        }
        return object
    }

    private static func waiting(_ bytes: RawSpan) throws(PTPError) -> Object {
        Object(
            handle: ObjectHandle(try word(bytes, 8)),
            format: FormatCode(UInt16(truncatingIfNeeded: try word(bytes, 12))),
            size: UInt64(try word(bytes, 0x14)), name: try text(bytes, 0x1C))
    }

    /// A name of at most sixteen bytes that ends at a NUL or with its record.
    private static func text(_ bytes: RawSpan, _ offset: Int) throws(PTPError) -> String {
        var cursor = ByteCursor(at: offset)
        return try cursor.cString(width: min(16, cursor.remaining(in: bytes)), from: bytes)
    }
}
