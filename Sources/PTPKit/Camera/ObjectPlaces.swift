import FilmgateCore

/// Where on the camera the files lie that are still to be read: of ten thousand that are left alone, forty bytes for
/// each are kept.
///
/// The path is not: whoever looks for a file has it.
struct ObjectPlaces: Sendable {
    private struct Place: Sendable {
        var handle: UInt32, storage: UInt32, group: UInt32?
        var size: UInt64, time: PackedTime?
        var format: UInt16, isProtected: Bool, isUnfinished: Bool, isHeld: Bool, medium: MediumIdentity
    }
    /// By a hash of the path in the volume.
    private var places: [Int: Place] = [:]

    var count: Int { places.count }
    var isEmpty: Bool { places.isEmpty }

    /// The object at a path in the volume (store, folders, name).
    subscript(path: String) -> CameraObject? {
        get { places[ReportedFiles.key(path)].map { Self.object($0, path) } }
        set { places[ReportedFiles.key(path)] = newValue.map(Self.place) }
    }

    /// Takes the file of a listing out; returns it where the body holds it in its memory.
    ///
    /// A file that only has its path stays.
    mutating func settle(_ origin: Origin) -> CameraObject? {
        let key = ReportedFiles.key(origin.volumePath)
        guard let place = places[key], place.size == origin.size, place.medium.number == origin.inode,
            place.time?.whole.map(\.sinceEpoch) ?? 0 == origin.modified
        else { return nil }
        places[key] = nil
        return place.isHeld ? Self.object(place, origin.volumePath) : nil
    }

    func holds(_ path: String) -> Bool { places[ReportedFiles.key(path)] != nil }

    /// Takes over those of `other`; where both know a path, the other's.
    mutating func merge(_ other: ObjectPlaces) { places.merge(other.places) { _, new in new } }

    /// Takes out those that lie on cards; all others are in the body's memory.
    mutating func takeThoseOnCards() -> ObjectPlaces {
        var taken = ObjectPlaces()
        taken.places = places.filter { !$0.value.isHeld }
        places = places.filter { $0.value.isHeld }
        return taken
    }

    private static func place(_ object: CameraObject) -> Place {
        Place(
            handle: object.handle.rawValue, storage: object.storage.rawValue, group: object.group?.rawValue,
            size: object.size, time: object.time.map(PackedTime.init), format: object.format.rawValue,
            isProtected: object.isProtected,
            isUnfinished: object.isUnfinished, isHeld: object.isHeld, medium: object.medium)
    }

    private static func object(_ place: Place, _ path: String) -> CameraObject {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        var object = CameraObject(
            handle: ObjectHandle(place.handle), storage: StorageID(place.storage), folders: [], name: "",
            size: place.size, time: place.time?.whole, format: FormatCode(place.format),
            isProtected: place.isProtected, group: place.group.map { ObjectHandle($0) })
        (object.folders, object.name) = (Array(parts.dropLast()), parts.last ?? "")
        (object.isUnfinished, object.isHeld, object.medium) = (place.isUnfinished, place.isHeld, place.medium)
        return object
    }
}

/// A camera's time in sixteen bytes.
private struct PackedTime: Sendable {
    private var nanosecond: Int32?, offset: Int16?, year: Int16, month: Int8, day: Int8, hour: Int8, minute: Int8
    private var second: Int8

    init(_ time: CivilTime) {
        (nanosecond, offset) = (
            time.nanosecond.map { Int32(clamping: $0) }, time.offsetMinutes.map { Int16(clamping: $0) }
        )
        (year, month, day) = (Int16(clamping: time.year), Int8(clamping: time.month), Int8(clamping: time.day))
        (hour, minute, second) = (Int8(clamping: time.hour), Int8(clamping: time.minute), Int8(clamping: time.second))
    }

    var whole: CivilTime? {
        CivilTime(
            year: Int(year), month: Int(month), day: Int(day), hour: Int(hour), minute: Int(minute),
            second: Int(second), nanosecond: nanosecond.map(Int.init), offsetMinutes: offset.map(Int.init))
    }
}
