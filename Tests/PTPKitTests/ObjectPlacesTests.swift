import FilmgateCore
import Testing

@testable import PTPKit

/// What a session keeps of a file is enough to read it.
@Suite struct ObjectPlacesTests {
    private func object(
        _ name: String, _ folders: [String] = ["DCIM", "100TEST"], time: CivilTime? = nil
    ) -> CameraObject {
        CameraObject(
            handle: ObjectHandle(0xFE00_0001), storage: StorageID(0x0002_0001), folders: folders, name: name,
            size: 6_000_000_000, time: time, format: .exifJPEG, isProtected: true, group: ObjectHandle(7))
    }

    private func path(_ object: CameraObject) -> String { "\(object.storage)/\(object.path)" }

    /// To the last part: handlers compare what they get with what they gave.
    @Test func anObjectComesBackAsItWas() {
        var places = ObjectPlaces()
        let times = [
            nil, CivilTime(year: 2026, month: 5, day: 1, hour: 12, minute: 3, second: 60),
            CivilTime(
                year: 1969, month: 12, day: 31, hour: 23, minute: 59, second: 59, nanosecond: 250_000_000,
                offsetMinutes: -90),
        ]
        for (time, name) in zip(times, ["IMG_0001.JPG", "på fjellet 🏔.JPG", "~"]) {
            var object = object(name, name == "~" ? [] : ["DCIM", "100TEST"], time: time)
            (object.isUnfinished, object.isHeld) = (name == "~", true)
            places[path(object)] = object
            #expect(places[path(object)] == object)
        }
        #expect(places.count == 3)
        places[path(object("~", []))] = nil
        #expect(places.count == 2 && !places.holds(path(object("~", []))) && places[path(object("~", []))] == nil)
    }

    @Test func theNewerPlaceOfAPathCounts() {
        var before = ObjectPlaces(), now = ObjectPlaces(), moved = object("A.JPG")
        before[path(moved)] = moved
        moved.handle = ObjectHandle(9)
        now[path(moved)] = moved
        before.merge(now)
        #expect(before.count == 1 && before[path(moved)]?.handle == ObjectHandle(9))
    }
}
