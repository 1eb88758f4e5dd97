import FilmgateCore
public import PTPKit

/// A file on a virtual card.
public struct VirtualObject: Sendable {
    public var handle: ObjectHandle
    public var info: ObjectInfo
    public var content: Content
    /// Bytes; `info.size` cannot say more than 32 bits hold.
    public var size: UInt64 { content.size }
}

/// A file that is going to be on a card.
public struct VirtualFile: Sendable {
    public var name: String, content: Content
    /// As PTP writes dates.
    public var date: String
    /// The folder that it lies in on a card, where that is known; else the body has one for it.
    public var folder: String?

    public init(_ name: String, _ content: Content, date: String = "20260501T120000") {
        (self.name, self.content, self.date) = (name, content, date)
    }
}

/// The objects of one store, in the order in which they came.
public struct VirtualCard: Sendable {
    public var storage: StorageID
    public var info = StorageInfo()
    public private(set) var order: [ObjectHandle] = []
    private var objects: [ObjectHandle: VirtualObject] = [:]
    private var children: [ObjectHandle: [ObjectHandle]] = [:]
    private var folders: [String: ObjectHandle] = [:]
    private var next: UInt32

    /// An empty card whose handles count from `firstHandle`.
    public init(storage: StorageID = StorageID(0x0001_0001), firstHandle: UInt32 = 1) {
        self.storage = storage
        next = firstHandle
        info.capacity = 64 << 30
        info.free = 32 << 30
        info.label = "SD"
    }

    public subscript(handle: ObjectHandle) -> VirtualObject? { objects[handle] }
    public func below(_ parent: ObjectHandle) -> [ObjectHandle] { children[parent] ?? [] }
    public var files: [VirtualObject] { order.compactMap { objects[$0] }.filter { $0.info.format != .association } }

    /// Puts a file into `folder` (`DCIM/100FILMG`), making folders as needed.
    ///
    /// Returns it, and the folders that are new.
    @discardableResult
    public mutating func add(_ file: VirtualFile, in folder: String = "DCIM/100FILMG") -> (
        object: VirtualObject, folders: [VirtualObject]
    ) {
        var made: [VirtualObject] = []
        var (parent, path) = (ObjectHandle.root, "")
        for name in folder.split(separator: "/") {
            path += "/" + name
            if let known = folders[path] {
                parent = known
                continue
            }
            var info = ObjectInfo()
            (info.format, info.associationType, info.name, info.modified) = (.association, 1, String(name), file.date)
            let folder = insert(info, .bytes([]), below: parent)
            folders[path] = folder.handle
            made.append(folder)
            parent = folder.handle
        }
        var info = ObjectInfo()
        (info.name, info.captured, info.modified) = (file.name, file.date, file.date)
        info.format = FormatCode(fileName: file.name)
        if [.jpeg, .raw, .heif, .image, .video].contains(MediaKind(fileName: file.name)) {
            info.thumbFormat = .jfif
            info.thumbSize = UInt32(VirtualThumbnail.jpeg(of: file.name).count)
            (info.thumbWidth, info.thumbHeight) = (UInt32(VirtualThumbnail.width), UInt32(VirtualThumbnail.height))
        }
        info.size = min(file.content.size, ObjectInfo.unknownSize)
        return (insert(info, file.content, below: parent), made)
    }

    /// Puts an object as it is, however wrong.
    @discardableResult
    public mutating func insert(_ info: ObjectInfo, _ content: Content, below parent: ObjectHandle) -> VirtualObject {
        var info = info
        info.storage = storage
        info.parent = parent == .root ? ObjectHandle(0) : parent
        let object = VirtualObject(handle: ObjectHandle(next), info: info, content: content)
        next &+= 1
        objects[object.handle] = object
        order.append(object.handle)
        children[parent, default: []].append(object.handle)
        return object
    }

    /// Changes an object in place, for tests of what cameras get wrong.
    public mutating func change(_ handle: ObjectHandle, _ body: (inout VirtualObject) -> Void) {
        guard var object = objects[handle] else { return }
        body(&object)
        objects[handle] = object
    }

    public mutating func remove(_ handle: ObjectHandle) {
        objects[handle] = nil
        order.removeAll { $0 == handle }
        for key in children.keys { children[key]?.removeAll { $0 == handle } }
    }
}

extension FormatCode {
    /// The format that most bodies give a file of this name.
    ///
    /// A RAW without a code of its own is an image that the standard does not define; sidecars are XML, as MTP has it.
    public init(fileName: String) {
        switch fileName.lowercased().split(separator: ".").last.map(String.init) ?? "" {
        case "jpg", "jpeg": self = .exifJPEG
        case "tif", "tiff": self = .tiff
        case "dng": self = .dng
        case "mov": self = .quickTime
        case "mp4": self = .mp4
        case "avi": self = .avi
        case "wav": self = .wav
        case "mp3": self = .mp3
        case "xmp", "xml": self = .xml
        case "thm": self = .exifJPEG
        case "lrv": self = .mp4
        case "cr3": self = 0xB108
        case "cr2", "raf": self = 0xB103
        case "arw": self = 0xB101
        case "heif", "hif", "heic": self = 0xB110
        default: self = MediaKind(fileName: fileName) == .raw ? .undefinedImage : .undefined
        }
    }
}
