import FilmgateCore
import PTPKit

/// The app's dialect: a state to wait for, a count in place of a listing, numbers from 1 in place of handles.
enum FujiDialect {
    /// What the camera offers us.
    enum State: UInt32 { case waiting = 0, oneByOne, full, autoSave, remote = 6 }

    struct Memory: HandlerMemory {
        var state = State.full
        var count: UInt32 = 0
        /// In the state `oneByOne` the camera gives object 1 again and again: the one told about, and how many there
        /// were.
        var current: CameraObject?
        var given: UInt32 = 0
    }
    /// More than any card holds.
    static let countLimit: UInt32 = 500_000

    /// Waits until a person has let us in, and says what we want: to look at everything.
    static func enter(_ camera: isolated PTPCamera, waiting limit: Duration) throws(PTPError) {
        let end = Deadline.after(limit)
        while true {
            let events = try poll(camera)
            let told = events[FujiProperty.state]
            let number = told == nil ? try value(FujiProperty.state, camera) : told
            if let number, number != 0 {
                guard let state = State(rawValue: number) else {
                    throw .denied("it is in a mode that we do not know (\(number))")
                }
                camera[Memory.self].state = state
                break
            }
            guard !end.hasPassed else { throw .denied("the connection was not confirmed on it") }
            try camera.rest(.milliseconds(200))
        }
        let state = camera[Memory.self].state
        try set(FujiProperty.client, UInt16(state == .oneByOne ? 1 : 2), camera)
        try agreeOnVersion(camera)
        camera[Memory.self].count = try count(camera)
    }

    /// The version that it names is the one that it wants to hear.
    ///
    /// Older bodies have none: they name all ones, or do not know the property.
    private static func agreeOnVersion(_ camera: isolated PTPCamera) throws(PTPError) {
        do throws(PTPError) {
            let version = try camera.read(.getDevicePropValue, UInt32(FujiProperty.version))
            guard version.contains(where: { $0 != 0xFF }) else { return }
            try camera.call(.setDevicePropValue, UInt32(FujiProperty.version), sending: version)
        } catch {
            guard error.refusal == .devicePropNotSupported else { throw error }
        }
    }

    static func leave(_ camera: isolated PTPCamera) { try? set(FujiProperty.fullSizes, 0, camera) }

    static func list(_ camera: isolated PTPCamera, into listedObjects: inout ListedObjects) throws(PTPError) {
        if camera[Memory.self].state == .oneByOne {
            if camera[Memory.self].current == nil { _ = try frame(camera) }
            if let current = camera[Memory.self].current { listedObjects.add(current) }
            return
        }
        let count = try count(camera)
        camera[Memory.self].count = count
        if count > 0 { try objects(1...count, camera, into: &listedObjects) }
    }

    /// Without the property, sizes are those of previews.
    private static func objects(
        _ numbers: ClosedRange<UInt32>, _ camera: isolated PTPCamera, into listedObjects: inout ListedObjects
    ) throws(PTPError) {
        try set(FujiProperty.fullSizes, 1, camera)
        var failure: PTPError?
        for number in numbers {
            do throws(PTPError) { if let object = try object(number, camera) { listedObjects.add(object) } } catch {
                failure = error
                break
            }
        }
        if camera.failure == nil { try set(FujiProperty.fullSizes, 0, camera) }
        if let failure { throw failure }
    }

    private static func objects(_ numbers: ClosedRange<UInt32>, _ camera: isolated PTPCamera) throws(PTPError)
        -> [CameraObject]
    {
        var listedObjects = ListedObjects()
        try objects(numbers, camera, into: &listedObjects)
        return listedObjects.objects
    }

    /// Nil for what vanished meanwhile.
    private static func object(_ number: UInt32, _ camera: isolated PTPCamera) throws(PTPError) -> CameraObject? {
        guard let info = try StandardListing.info(ObjectHandle(number), camera), !info.isFolder else { return nil }
        return CameraObject(ObjectHandle(number), info, folders: [])
    }

    /// A higher count means new objects behind the others; a lower one that numbers have moved.
    static func news(_ camera: isolated PTPCamera) throws(PTPError) -> [CameraNews] {
        let events = try poll(camera)
        if camera[Memory.self].state == .oneByOne {
            guard camera[Memory.self].current == nil, let object = try frame(camera) else { return [] }
            return [.object(object)]
        }
        guard let now = events[FujiProperty.count], now <= countLimit, now != camera[Memory.self].count else {
            return []
        }
        let before = camera[Memory.self].count
        camera[Memory.self].count = now
        guard now > before else { return [.changed] }
        return try objects(before + 1...now, camera).map(CameraNews.object)
    }

    /// The one object that the camera gives now, under a number that it has once.
    private static func frame(_ camera: isolated PTPCamera) throws(PTPError) -> CameraObject? {
        guard var object = try objects(1...1, camera).first, object.size > 0 else { return nil }
        camera[Memory.self].given += 1
        object.handle = ObjectHandle(0xFE00_0000 | camera[Memory.self].given & 0xFF_FFFF)
        camera[Memory.self].current = object
        return object
    }

    static func fetch(
        _ object: CameraObject, _ range: Range<UInt64>, _ camera: isolated PTPCamera, into sink: any ByteSink
    ) throws(PTPError) {
        var wanted = object
        if let current = camera[Memory.self].current {
            guard current.handle == object.handle else { throw .missing(object.name) }
            wanted.handle = ObjectHandle(1)
        }
        camera.apply(camera.quirks.with { $0.chunk = partSize })
        try StandardFetch.chunks(wanted, range, camera, part, into: sink)
        if range.upperBound == object.size { camera[Memory.self].current = nil }
    }

    /// Where frames come one by one, the next may stand in this one's place already.
    static func holdsMore(_ object: CameraObject, _ camera: isolated PTPCamera) throws(PTPError) -> Bool {
        guard camera[Memory.self].state != .oneByOne else { return false }
        return try StandardFetch.holdsMore(object, camera, part, asking: partSize)
    }

    /// Parts of another size than one mebibyte are not known to work.
    private static let partSize: UInt32 = 1 << 20

    private static let part: StandardFetch.Part = {
        Operation(.getPartialObject, [$0.rawValue, UInt32(truncatingIfNeeded: $1), $2])
    }

    // MARK: Properties

    private static func count(_ camera: isolated PTPCamera) throws(PTPError) -> UInt32 {
        let count = try value(FujiProperty.count, camera)
        guard count <= countLimit else { throw .malformed("\(count) objects") }
        return count
    }

    /// The list of what has changed: it is how the camera tells anything.
    static func poll(_ camera: isolated PTPCamera) throws(PTPError) -> [UInt16: UInt32] {
        let data = try camera.read(.getDevicePropValue, UInt32(FujiProperty.events))
        return try changes(data.span.bytes)
    }

    /// u16 number, then property and value each.
    static func changes(_ bytes: RawSpan) throws(PTPError) -> [UInt16: UInt32] {
        guard bytes.byteCount > 0 else { return [:] }
        var cursor = ByteCursor()
        let count = try Int(cursor.take(UInt16.self, from: bytes))
        guard count <= cursor.remaining(in: bytes) / 6 else { throw .truncated(at: cursor.offset) }
        var changes: [UInt16: UInt32] = [:]
        for _ in 0..<count {
            let property: UInt16 = try cursor.take(from: bytes)
            changes[property] = try cursor.take(from: bytes)
        }
        return changes
    }

    /// A number of two or four bytes.
    private static func value(_ property: UInt16, _ camera: isolated PTPCamera) throws(PTPError) -> UInt32 {
        let data = try camera.read(.getDevicePropValue, UInt32(property))
        var cursor = ByteCursor()
        if data.count >= 4 { return try cursor.take(from: data.span.bytes) }
        return UInt32(try cursor.take(UInt16.self, from: data.span.bytes))
    }

    private static func set(_ property: UInt16, _ value: UInt16, _ camera: isolated PTPCamera) throws(PTPError) {
        var writer = ByteWriter()
        writer.put(value)
        try camera.call(.setDevicePropValue, UInt32(property), sending: writer.bytes)
    }
}
