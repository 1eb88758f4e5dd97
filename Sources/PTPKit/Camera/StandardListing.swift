import FilmgateCore

/// Lists a camera by the standard's operations: folder by folder, one request for each object, or one for each folder
/// where that works.
public enum StandardListing {
    /// More objects than any card holds, and deeper than any camera nests.
    public static let objectLimit = 500_000, depthLimit = 32

    public static func list(_ camera: isolated PTPCamera, into listedObjects: inout ListedObjects) throws(PTPError) {
        var walk = Walk()
        let stores = try storages(camera)
        for storage in stores { try walk.storage(storage, camera, &listedObjects) }
        try confirm(stores, camera)
    }

    /// Reads one object that an event named, and the folders above it.
    ///
    /// Nil for folders, and for objects that are gone already.
    public static func object(_ handle: ObjectHandle, _ camera: isolated PTPCamera) throws(PTPError) -> CameraObject? {
        do throws(PTPError) {
            let info = try camera.objectInfo(handle)
            guard info.format != .association else { return nil }
            let folders = try folders(downTo: info.parent, of: handle, in: info.storage, camera)
            return CameraObject(handle, info, folders: folders, size: try camera.size(of: handle, info))
        } catch {
            if error.refusal == .invalidObjectHandle { return nil }
            throw error
        }
    }

    /// Names of the folders from the top down to `parent`; each folder is asked for once in a session.
    ///
    /// A folder that the camera refuses to describe ends the way; where no answer came, this throws: with fewer folders
    /// it would be the path of another file.
    public static func folders(
        downTo parent: ObjectHandle, of handle: ObjectHandle, in storage: StorageID, _ camera: isolated PTPCamera
    ) throws(PTPError) -> [String] {
        var names: [String] = []
        var (parent, seen) = (parent, Set([handle]))
        while parent.isReal, parent.rawValue != storage.rawValue, names.count < depthLimit, seen.insert(parent).inserted
        {
            if let name = camera[FolderNames.self].names[parent] {
                names.append(name.name)
                parent = name.parent
                continue
            }
            let folder: ObjectInfo
            do throws(PTPError) { folder = try camera.objectInfo(parent) } catch {
                if camera.failure != nil || error.losesSession || error.refusal == .deviceBusy { throw error }
                break
            }
            let name = folderName(folder.name, parent)
            camera[FolderNames.self].names[parent] = .init(name: name, parent: folder.parent)
            names.append(name)
            parent = folder.parent
        }
        return names.reversed()
    }

    /// What a folder is called; one without a name by its handle: it may hold files like any other.
    public static func folderName(_ name: String, _ handle: ObjectHandle) -> String {
        name.isEmpty ? "folder-0x\(handle)" : name
    }
}

/// Folders already seen, so that a burst does not read them again for every frame.
struct FolderNames: HandlerMemory {
    struct Folder { var name: String, parent: ObjectHandle }
    var names: [ObjectHandle: Folder] = [:]
}

extension StandardListing {
    struct Walk {
        private var seen: Set<ObjectHandle> = []
        /// Hashes of the paths: there are as many as files.
        private var paths: Set<Int> = []

        mutating func storage(
            _ storage: StorageID, _ camera: isolated PTPCamera, _ listedObjects: inout ListedObjects
        ) throws(PTPError) {
            var top: [ObjectHandle]
            do throws(PTPError) { top = try camera.handles(in: storage) } catch {
                guard mayGoOn(after: error, camera) else { throw error }
                // An empty slot costs nothing; a card that is not shown costs only itself, but aloud.
                let place = "card slot \(storage.slot)"
                switch error.refusal {
                case ResponseCode.storeNotAvailable, ResponseCode.invalidStorageID:
                    return try StandardListing.refused(storage, error, camera)
                case ResponseCode.invalidParent, ResponseCode.parameterNotSupported, ResponseCode.invalidObjectHandle:
                    top = try StandardListing.handles(in: storage, below: ObjectHandle(0), place, camera)
                default: top = try StandardListing.handles(in: storage, below: .root, place, camera)
                }
            }
            try folder(top, parent: .root, [], storage, camera, &listedObjects)
            try StandardListing.listed(storage, found: top.count, camera)
        }

        private mutating func folder(
            _ handles: [ObjectHandle], parent: ObjectHandle, _ folders: [String], _ storage: StorageID,
            _ camera: isolated PTPCamera, _ listedObjects: inout ListedObjects
        ) throws(PTPError) {
            guard folders.count < depthLimit else {
                return miss(
                    folders.joined(separator: "/"), .malformed("folders lie more than \(depthLimit) deep"), camera)
            }
            for (handle, name) in try files(handles, parent: parent, folders, storage, camera, &listedObjects) {
                let inner = folders + [SafeName.component(name)]
                let members = try StandardListing.handles(
                    in: storage, below: handle, inner.joined(separator: "/"), camera)
                try folder(members, parent: handle, inner, storage, camera, &listedObjects)
            }
        }

        /// Puts the files of a folder into the basket; the folders in it.
        private mutating func files(
            _ handles: [ObjectHandle], parent: ObjectHandle, _ folders: [String], _ storage: StorageID,
            _ camera: isolated PTPCamera, _ listedObjects: inout ListedObjects
        ) throws(PTPError) -> [(ObjectHandle, String)] {
            let bulk = try BulkListing.infos(below: parent, storage, camera)
            var below: [(ObjectHandle, String)] = []
            for handle in handles where seen.insert(handle).inserted && seen.count <= objectLimit {
                let known = bulk[handle]
                guard let info = known == nil ? try StandardListing.info(handle, camera) : known else { continue }
                if info.isFolder {
                    let name = folderName(info.name, handle)
                    camera[FolderNames.self].names[handle] = .init(name: name, parent: info.parent)
                    below.append((handle, name))
                } else {
                    let size = known == nil ? try camera.size(of: handle, info) : info.size
                    listedObjects.add(named(CameraObject(handle, info, folders: folders, size: size), storage))
                }
            }
            return below
        }

        /// Two files with one path in one store: the later one gets a number, so that each can be named.
        private mutating func named(_ object: CameraObject, _ storage: StorageID) -> CameraObject {
            var object = object
            object.storage = storage
            let name = FileName(object.name)
            var number = 2
            while !paths.insert(ReportedFiles.key("\(storage)/\(object.path)")).inserted {
                object.name = name.ext.isEmpty ? "\(name.stem)~\(number)" : "\(name.stem)~\(number).\(name.ext)"
                number += 1
            }
            return object
        }
    }
}
