/// What a folder's objects are called, weigh and date from, in one answer (MTP GetObjectPropList, one level deep).
enum BulkListing {
    /// Empty where the camera offers no such thing, answers nonsense, or leaves out what is needed; then each object is asked for.
    static func infos(
        below parent: ObjectHandle, _ storage: StorageID, _ camera: isolated PTPCamera
    ) throws(PTPError) -> [ObjectHandle: ObjectInfo] {
        // At the top level the standard's parameters mean "the whole device": not worth it.
        guard camera.quirks.bulkListing, parent.isReal, camera.info.offers(.getObjectPropList), !camera[Refusal.self].refused else {
            return [:]
        }
        do throws(PTPError) {
            let data = try camera.read(.getObjectPropList, parent.rawValue, 0, 0xFFFF_FFFF, 0, 1)
            return try assemble(ObjectPropertyList(data.span.bytes), storage)
        } catch {
            switch error {
            case .refused, .truncated, .malformed:
                guard camera.failure == nil else { throw error }
                camera[Refusal.self].refused = true
                return [:]
            default: throw error
            }
        }
    }

    struct Refusal: HandlerMemory { var refused = false }

    /// Only objects whose name, format and size all came.
    static func assemble(_ list: ObjectPropertyList, _ storage: StorageID) -> [ObjectHandle: ObjectInfo] {
        var infos: [ObjectHandle: ObjectInfo] = [:], blank = ObjectInfo()
        blank.storage = storage
        var complete: [ObjectHandle: Int] = [:]
        for element in list.elements {
            var info = infos[element.handle] ?? blank
            switch (element.property, element.value) {
            case (.objectFileName, .text(let name)):
                info.name = name
                complete[element.handle, default: 0] |= 1
            case (.objectFormat, .unsigned(let format)):
                info.format = FormatCode(UInt16(truncatingIfNeeded: format))
                complete[element.handle, default: 0] |= 2
            case (.objectSize, .unsigned(let size)):
                info.size = size
                complete[element.handle, default: 0] |= 4
            case (.dateModified, .text(let date)): info.modified = date
            case (.dateCreated, .text(let date)): info.captured = date
            case (.protectionStatus, .unsigned(let value)): info.protection = UInt16(truncatingIfNeeded: value)
            case (.associationType, .unsigned(let value)): info.associationType = UInt16(truncatingIfNeeded: value)
            case (.parentObject, .unsigned(let value)): info.parent = ObjectHandle(UInt32(truncatingIfNeeded: value))
            default: break
            }
            infos[element.handle] = info
        }
        return infos.filter { handle, _ in complete[handle] == 7 }
    }
}
