public import FilmgateCore

/// A file on a camera, as its listing tells.
public struct CameraObject: Sendable, Hashable {
    public var handle: ObjectHandle
    public var storage: StorageID
    /// Folders from the top, without the file's name; each one safe as a path component.
    public var folders: [String]
    /// Safe as a path component.
    public var name: String
    /// Bytes.
    public var size: UInt64
    /// By the camera's clock.
    public var time: CivilTime?
    public var format: FormatCode
    public var isProtected: Bool
    /// The camera was still writing it when it was asked.
    public var isUnfinished = false
    /// In the body's memory and nowhere else, which has no room for many: it stays until it is read, or declined.
    public var isHeld = false
    /// Why the camera told nothing but its handle, in a sentence; nil where it told more.
    public var undescribed: String?
    /// Files of one shot share it, where the make tells.
    public var group: ObjectHandle?
    /// What tells its card and its body from others.
    var medium = MediumIdentity(0)

    public init(
        handle: ObjectHandle, storage: StorageID, folders: [String], name: String, size: UInt64, time: CivilTime?,
        format: FormatCode = .undefined, isProtected: Bool = false, group: ObjectHandle? = nil
    ) {
        (self.handle, self.storage, self.size, self.time) = (handle, storage, size, time)
        self.folders = folders.map(SafeName.component)
        self.name = SafeName.component(name)
        (self.format, self.isProtected, self.group) = (format, isProtected, group)
    }

    public init(_ handle: ObjectHandle, _ info: ObjectInfo, folders: [String], size: UInt64? = nil) {
        self.init(
            handle: handle, storage: info.storage, folders: folders, name: info.name, size: size ?? info.size,
            time: info.time, format: info.format, isProtected: info.isProtected)
        undescribed = info.undescribed
    }

    /// Path within its store.
    public var path: String {
        var path = ""
        path.reserveCapacity(folders.reduce(name.utf8.count) { $0 + $1.utf8.count + 1 })
        for folder in folders {
            path += folder
            path += "/"
        }
        path += name
        return path
    }
}
