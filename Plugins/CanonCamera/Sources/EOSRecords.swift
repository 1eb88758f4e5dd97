import FilmgateCore
import PTPKit
import VirtualCamera

/// Records as an EOS body writes them.
enum EOSRecords {
    static let end: [UInt8] = [8, 0, 0, 0, 0, 0, 0, 0]

    /// What comes first after listening begins: a property, and a list of its values.
    static var greeting: [UInt8] {
        record(0xC189) { writer in
            writer.put(UInt32(0xD11C))
            writer.put(UInt32(2))
        }
            + record(0xC18A) { writer in
                for value: UInt32 in [0xD11C, 3, 2, 2, 4] { writer.put(value) }
            }
    }

    static func status(_ value: UInt32) -> [UInt8] { record(0xC18B) { $0.put(value) } }

    /// ObjectAddedEx64, 64 bytes.
    static func added(_ object: VirtualObject, group: UInt32) -> [UInt8] {
        record(0xC1A7) { writer in
            writer.put(object.handle.rawValue)
            writer.put(object.info.storage.rawValue)
            writer.put(UInt32(object.info.format.rawValue))
            writer.put(UInt32(0))
            writer.put(UInt32(0x20))
            writer.put(object.size)
            writer.put(object.info.parent.rawValue)
            writer.put(group)
            writer.put(contentsOf: name(object))
            writer.put(seconds(object))
        }
    }

    /// RequestObjectTransfer: the object waits in memory.
    static func waiting(_ object: VirtualObject) -> [UInt8] {
        record(0xC186) { writer in
            writer.put(object.handle.rawValue)
            writer.put(UInt32(object.info.format.rawValue))
            writer.put(UInt32(0))
            writer.put(UInt32(clamping: object.size))
            writer.put(UInt32(0))
            writer.put(contentsOf: name(object))
        }
    }

    /// An entry of a listing, 56 bytes.
    static func entry(_ object: VirtualObject) -> [UInt8] {
        var writer = ByteWriter()
        writer.put(UInt32(56))
        writer.put(object.handle.rawValue)
        writer.put(object.info.storage.rawValue)
        writer.put(UInt32(object.info.format.rawValue))
        writer.put(UInt32(0))
        writer.put(UInt32(0x20 | UInt32(object.info.protection & 1)))
        writer.put(UInt32(clamping: object.size))
        writer.put(UInt64(0))
        writer.put(contentsOf: name(object))
        writer.put(seconds(object))
        return writer.bytes
    }

    static func record(_ type: UInt32, _ body: (inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter()
        writer.put(UInt32(0))
        writer.put(type)
        body(&writer)
        writer.patch(UInt32(writer.bytes.count), at: 0)
        return writer.bytes
    }

    private static func name(_ object: VirtualObject) -> [UInt8] {
        let text = Array(object.info.name.utf8.prefix(15))
        return text + [UInt8](repeating: 0, count: 16 - text.count)
    }

    private static func seconds(_ object: VirtualObject) -> UInt32 {
        PTPDate.parse(object.info.modified).map { UInt32(clamping: $0.civilSeconds) } ?? 0
    }
}
