import FilmgateCore

/// Objects whose bytes may still be on their way to the card.
///
/// One is settled when its size is above zero and the same in two looks that lie the quirks' `settle` or more apart. A
/// recording clip is looked at ever more rarely, for as long as the connection lasts; what stays empty for half a
/// minute is what it says.
struct SizeSettling: HandlerMemory {
    private struct Unsettled {
        var object: CameraObject
        var due: ContinuousClock.Instant, pause: Duration
        let since = ContinuousClock.now
    }
    private static let patience = Duration.seconds(30), rarest = Duration.seconds(1)
    private var unsettled: [Unsettled] = []

    init() {}

    var isEmpty: Bool { unsettled.isEmpty }

    mutating func add(_ object: CameraObject, settle: Duration) {
        guard !unsettled.contains(where: { $0.object.handle == object.handle }) else { return }
        unsettled.append(Unsettled(object: object, due: .now + settle, pause: settle))
    }

    mutating func forget(_ handle: ObjectHandle) { unsettled.removeAll { $0.object.handle == handle } }

    /// Looks again at those whose time has come, and gives out the settled ones, in the order in which they came.
    static func settled(_ camera: isolated PTPCamera) throws(PTPError) -> [CameraObject] {
        var settled: [CameraObject] = [], rest: [Unsettled] = []
        for var one in camera[SizeSettling.self].unsettled {
            guard one.due <= .now else {
                rest.append(one)
                continue
            }
            guard let now = try StandardListing.object(one.object.handle, camera) else { continue }
            let isEmpty = now.size == 0
            if now.size == one.object.size, !isEmpty || .now - one.since > patience {
                settled.append(now)
                continue
            }
            one.pause = min(one.pause * 2, rarest)
            (one.object, one.due) = (now, .now + one.pause)
            rest.append(one)
        }
        camera[SizeSettling.self].unsettled = rest
        return settled
    }

    /// A listing, with a second look at what may have been written while it was made: the last few files, and empty
    /// ones.
    ///
    /// What does not come to rest within a second is marked, and settles later.
    static func confirmed(_ objects: [CameraObject], _ camera: isolated PTPCamera) throws(PTPError) -> [CameraObject] {
        let settle = camera.quirks.settle
        var objects = objects
        var doubtful = doubtful(objects, settle)
        guard !doubtful.isEmpty else { return objects }
        for _ in 0..<4 {
            try camera.rest(settle)
            var growing: [Int] = []
            for index in doubtful {
                let now: CameraObject?
                do throws(PTPError) { now = try StandardListing.object(objects[index].handle, camera) } catch {
                    guard StandardListing.mayGoOn(after: error, camera) else { throw error }
                    // Not told now: perhaps in the next look.
                    growing.append(index)
                    continue
                }
                guard let now else { continue }
                if now.size != objects[index].size || now.size == 0 { growing.append(index) }
                objects[index].size = now.size
                objects[index].time = now.time ?? objects[index].time
            }
            doubtful = growing
            if doubtful.isEmpty { break }
        }
        for index in doubtful where objects[index].size > 0 {
            camera[SizeSettling.self].add(objects[index], settle: settle)
            objects[index].isUnfinished = true
        }
        return objects
    }

    private static func doubtful(_ objects: [CameraObject], _ settle: Duration) -> [Int] {
        guard settle > .zero else { return [] }
        let empty = objects.indices.filter { objects[$0].size == 0 && objects[$0].undescribed == nil }.prefix(16)
        let last = objects.indices.suffix(ListedObjects.unsure).filter { objects[$0].undescribed == nil }
        return Array(Set(empty).union(last)).sorted()
    }
}
