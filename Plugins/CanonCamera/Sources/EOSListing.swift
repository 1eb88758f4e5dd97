import FilmgateCore
import PTPKit

/// Lists a card by EOS GetObjectInfoEx (0x9109): one request for each folder.
enum EOSListing {
    struct Entry {
        var handle: ObjectHandle, storage: StorageID, format: FormatCode, isProtected: Bool, size: UInt64, name: String
        var time: CivilTime?
    }

    static func list(_ camera: isolated PTPCamera, into listedObjects: inout ListedObjects) throws(PTPError) {
        guard camera.info.offers(.eosListing) else { throw .unsupported(.eosListing) }
        var seen: Set<ObjectHandle> = []
        for storage in try StandardListing.storages(camera) {
            let before = seen.count
            try folder(.root, [], storage, camera, &listedObjects, &seen)
            try StandardListing.listed(storage, found: seen.count - before, camera)
        }
    }

    private static func folder(
        _ parent: ObjectHandle, _ folders: [String], _ storage: StorageID, _ camera: isolated PTPCamera,
        _ listedObjects: inout ListedObjects,
        _ seen: inout Set<ObjectHandle>
    ) throws(PTPError) {
        guard folders.count < StandardListing.depthLimit, seen.count < StandardListing.objectLimit else { return }
        for inner in try files(parent, folders, storage, camera, &listedObjects, &seen) {
            try folder(inner.handle, folders + [inner.name], storage, camera, &listedObjects, &seen)
        }
    }

    /// Puts the files of a folder into the basket; the folders in it.
    private static func files(
        _ parent: ObjectHandle, _ folders: [String], _ storage: StorageID, _ camera: isolated PTPCamera,
        _ listedObjects: inout ListedObjects,
        _ seen: inout Set<ObjectHandle>
    ) throws(PTPError) -> [(handle: ObjectHandle, name: String)] {
        let data = try camera.read(.eosListing, storage.rawValue, parent.rawValue, 0x10_0000)
        var reader = try Reader(data.span.bytes), below: [(handle: ObjectHandle, name: String)] = []
        while let entry = try reader.next(in: data.span.bytes) {
            guard entry.handle.isReal, seen.insert(entry.handle).inserted else { continue }
            let name = try name(of: entry, camera)
            if entry.format != .association {
                listedObjects.add(try object(entry, name, folders, storage, camera))
            } else {
                below.append((entry.handle, StandardListing.folderName(name, entry.handle)))
            }
        }
        return below
    }

    /// The listing has room for fifteen bytes of a name: one that fills them, or lost its extension with its end, is
    /// asked for.
    static func isWhole(_ name: String) -> Bool { name.utf8.count < nameWidth - 1 && !FileName(name).ext.isEmpty }

    static let nameWidth = 16

    /// The whole name; the short one where the body does not tell it.
    private static func name(of entry: Entry, _ camera: isolated PTPCamera) throws(PTPError) -> String {
        let isFolder = entry.format == .association
        if isFolder ? entry.name.utf8.count < nameWidth - 1 : isWhole(entry.name) { return entry.name }
        return try fullName(entry.handle, camera) ?? entry.name
    }

    /// Nil where the body does not tell it.
    static func fullName(_ handle: ObjectHandle, _ camera: isolated PTPCamera) throws(PTPError) -> String? {
        do throws(PTPError) {
            let name = try camera.objectInfo(handle).name
            return name.isEmpty ? nil : name
        } catch {
            guard StandardListing.mayGoOn(after: error, camera) else { throw error }
            return nil
        }
    }

    private static func object(
        _ entry: Entry, _ name: String, _ folders: [String], _ storage: StorageID, _ camera: isolated PTPCamera
    ) throws(PTPError) -> CameraObject {
        var info = ObjectInfo()
        info.size = entry.size
        return CameraObject(
            handle: entry.handle, storage: storage, folders: folders, name: name,
            size: try camera.size(of: entry.handle, info),
            time: entry.time, format: entry.format, isProtected: entry.isProtected)
    }

    /// The entries of one folder, one after the other.
    ///
    /// `malformed` when their sizes or their number do not fit the data.
    struct Reader {
        private var left: Int, offset: Int

        init(_ bytes: RawSpan) throws(PTPError) {
            var cursor = ByteCursor()
            left = try Int(cursor.take(UInt32.self, from: bytes))
            guard left <= cursor.remaining(in: bytes) / 56 else { throw .truncated(at: 0) }
            offset = cursor.offset
        }

        /// Nil behind the last one; `bytes` are those that it began with.
        mutating func next(in bytes: RawSpan) throws(PTPError) -> Entry? {
            guard left > 0 else { return nil }
            var head = ByteCursor(at: offset)
            let size = try Int(head.take(UInt32.self, from: bytes))
            guard size >= 56, size <= bytes.byteCount - offset else {
                throw .malformed("a listing entry of \(size) bytes")
            }
            defer { (left, offset) = (left - 1, offset + size) }
            return try EOSListing.entry(bytes.extracting(offset + 4..<offset + size))
        }
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
        let name = try cursor.cString(width: nameWidth, from: bytes)
        let seconds: UInt32 = try cursor.take(from: bytes)
        return Entry(
            handle: handle, storage: storage, format: format, isProtected: flags & 1 != 0, size: UInt64(size),
            name: name, time: seconds == 0 ? nil : CivilTime(unixSeconds: Int64(seconds), offsetMinutes: nil))
    }
}
