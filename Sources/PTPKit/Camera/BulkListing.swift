/// What a folder's objects are called, weigh and date from, in one answer (MTP GetObjectPropList, one level deep).
///
/// Keeps the answer as it came, and where in it each object's properties stand: an object's facts are made when they
/// are asked for.
struct BulkListing {
    /// Properties of one object that follow each other.
    private struct Run { var handle: ObjectHandle, start: UInt32, count: UInt32 }
    private let bytes: [UInt8], storage: StorageID
    /// By handle, then as they came.
    private var runs: [Run] = []

    /// Nothing.
    init() { (bytes, storage) = ([], StorageID(0)) }

    /// `truncated` or `malformed` when the bytes are no such list.
    init(_ bytes: [UInt8], _ storage: StorageID) throws(PTPError) {
        (self.bytes, self.storage) = (bytes, storage)
        var cursor = ByteCursor()
        for _ in 0..<(try ObjectPropertyList.count(bytes.span.bytes, &cursor)) {
            let start = cursor.offset, handle = try ObjectPropertyList.skip(bytes.span.bytes, &cursor)
            if runs.last?.handle == handle {
                runs[runs.count - 1].count += 1
            } else {
                runs.append(Run(handle: handle, start: UInt32(clamping: start), count: 1))
            }
        }
        let isSorted = zip(runs, runs.dropFirst()).allSatisfy { $0.handle < $1.handle }
        if !isSorted { runs.sort { ($0.handle, $0.start) < ($1.handle, $1.start) } }
    }

    /// Empty where the camera offers no such thing, answers nonsense, or leaves out what is needed; then each object is
    /// asked for.
    static func infos(below parent: ObjectHandle, _ storage: StorageID, _ camera: isolated PTPCamera) throws(PTPError)
        -> BulkListing
    {
        // At the top level the standard's parameters mean "the whole device": not worth it.
        guard camera.quirks.bulkListing, parent.isReal, camera.info.offers(.getObjectPropList),
            !camera[Refusal.self].refused
        else {
            return BulkListing()
        }
        do throws(PTPError) {
            return try BulkListing(camera.read(.getObjectPropList, parent.rawValue, 0, 0xFFFF_FFFF, 0, 1), storage)
        } catch {
            switch error {
            case .refused, .truncated, .malformed:
                guard camera.failure == nil else { throw error }
                camera[Refusal.self].refused = true
                return BulkListing()
            default: throw error
            }
        }
    }

    struct Refusal: HandlerMemory { var refused = false }

    /// Nil unless name, format and size all came.
    subscript(handle: ObjectHandle) -> ObjectInfo? {
        var info = ObjectInfo(), parts = 0
        info.storage = storage
        var index = runs.partitioningIndex { $0.handle >= handle }
        while index < runs.count, runs[index].handle == handle {
            var cursor = ByteCursor(at: Int(runs[index].start))
            for _ in 0..<runs[index].count {
                guard let element = try? ObjectPropertyList.element(bytes.span.bytes, &cursor) else { return nil }
                parts |= Self.note(element, in: &info)
            }
            index += 1
        }
        return parts == 7 ? info : nil
    }

    /// Which of name, format and size it was.
    private static func note(_ element: ObjectPropertyList.Element, in info: inout ObjectInfo) -> Int {
        switch (element.property, element.value) {
        case (.objectFileName, .text(let name)):
            info.name = name
            return 1
        case (.objectFormat, .unsigned(let format)):
            info.format = FormatCode(UInt16(truncatingIfNeeded: format))
            return 2
        case (.objectSize, .unsigned(let size)):
            info.size = size
            return 4
        case (.dateModified, .text(let date)): info.modified = date
        case (.dateCreated, .text(let date)): info.captured = date
        case (.protectionStatus, .unsigned(let value)): info.protection = UInt16(truncatingIfNeeded: value)
        case (.associationType, .unsigned(let value)): info.associationType = UInt16(truncatingIfNeeded: value)
        case (.parentObject, .unsigned(let value)): info.parent = ObjectHandle(UInt32(truncatingIfNeeded: value))
        default: break
        }
        return 0
    }
}

extension Array {
    /// The first position from which on `belongs` holds; it must hold for all behind the first for which it does.
    func partitioningIndex(_ belongs: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if belongs(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
