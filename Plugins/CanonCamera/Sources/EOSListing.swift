import FilmgateCore
import PTPKit

/// Lists a card by EOS GetObjectInfoEx (0x9109): one request for each folder.
enum EOSListing {
    struct Entry {
        var handle: ObjectHandle, storage: StorageID, format: FormatCode, isProtected: Bool, size: UInt64, name: String, time: CivilTime?
    }

    static func list(_ camera: isolated PTPCamera) throws(PTPError) -> [CameraObject] {
        guard camera.info.offers(.eosListing) else { throw .refused(.operationNotSupported, during: .eosListing) }
        var objects: [CameraObject] = [], seen: Set<ObjectHandle> = []
        for storage in try camera.storages() { try folder(.root, [], storage, camera, &objects, &seen) }
        return objects
    }

    private static func folder(
        _ parent: ObjectHandle, _ folders: [String], _ storage: StorageID, _ camera: isolated PTPCamera, _ objects: inout [CameraObject],
        _ seen: inout Set<ObjectHandle>
    ) throws(PTPError) {
        guard folders.count < StandardListing.depthLimit, seen.count < StandardListing.objectLimit else { return }
        let data = try camera.read(.eosListing, storage.rawValue, parent.rawValue, 0x10_0000)
        for entry in try entries(data.span.bytes) where entry.handle.isReal && seen.insert(entry.handle).inserted {
            if entry.format == .association {
                if entry.name.isEmpty { continue }
                try folder(entry.handle, folders + [entry.name], storage, camera, &objects, &seen)
            } else {
                objects.append(try object(entry, folders, storage, camera))
            }
        }
    }

    private static func object(
        _ entry: Entry, _ folders: [String], _ storage: StorageID, _ camera: isolated PTPCamera
    ) throws(PTPError) -> CameraObject {
        var info = ObjectInfo()
        info.size = entry.size
        return CameraObject(
            handle: entry.handle, storage: storage, folders: folders, name: entry.name, size: try camera.size(of: entry.handle, info),
            time: entry.time, format: entry.format, isProtected: entry.isProtected)
    }

    /// The entries of one folder.
    ///
    /// `malformed` when their sizes or their number do not fit the data.
    static func entries(_ bytes: RawSpan) throws(PTPError) -> [Entry] {
        var cursor = ByteCursor()
        let count = try Int(cursor.take(UInt32.self, from: bytes))
        guard count <= cursor.remaining(in: bytes) / 56 else { throw .truncated(at: 0) }
        var entries: [Entry] = []
        entries.reserveCapacity(count)
        var offset = cursor.offset
        for _ in 0..<count {
            var head = ByteCursor(at: offset)
            let size = try Int(head.take(UInt32.self, from: bytes))
            guard size >= 56, size <= bytes.byteCount - offset else { throw .malformed("a listing entry of \(size) bytes") }
            entries.append(try entry(bytes.extracting(offset + 4..<offset + size)))
            offset += size
        }
        return entries
    }

    private static func entry(_ bytes: RawSpan) throws(PTPError) -> Entry {
        var cursor = ByteCursor()
        let handle = ObjectHandle(try cursor.take(from: bytes)), storage = StorageID(try cursor.take(from: bytes))
        let format = FormatCode(try cursor.take(UInt16.self, from: bytes))
        cursor.offset = 16
        let flags: UInt8 = try cursor.take(from: bytes)
        cursor.offset = 20
        let size: UInt32 = try cursor.take(from: bytes)
        cursor.offset = 32
        let name = try cursor.cString(width: 16, from: bytes)
        let seconds: UInt32 = try cursor.take(from: bytes)
        return Entry(
            handle: handle, storage: storage, format: format, isProtected: flags & 1 != 0, size: UInt64(size), name: name,
            time: seconds == 0 ? nil : CivilTime(unixSeconds: Int64(seconds), offsetMinutes: nil))
    }
}
