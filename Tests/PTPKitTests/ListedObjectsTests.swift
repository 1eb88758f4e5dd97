import Testing

@testable import PTPKit

/// A listing of a known card keeps hardly any of it.
@Suite struct ListedObjectsTests {
    private func object(_ number: UInt32, size: UInt64 = 10) -> CameraObject {
        CameraObject(
            handle: ObjectHandle(number), storage: StorageID(0x0001_0001), folders: ["DCIM"], name: "IMG_\(number).JPG",
            size: size, time: nil)
    }

    @Test func everythingComesOutInItsOrder() {
        var listedObjects = ListedObjects()
        for number in 1...20 { listedObjects.add(object(UInt32(number))) }
        #expect(listedObjects.objects.map(\.handle.rawValue) == Array(1...20))
    }

    @Test func onlyWhatIsWantedAndWhatMayBeUnfinishedIsKept() {
        var listedObjects = ListedObjects { $0.handle.rawValue == 7 }
        for number in UInt32(1)...10_000 { listedObjects.add(object(number, size: number == 3 ? 0 : 10)) }
        #expect(listedObjects.objects.map(\.handle.rawValue) == [3, 7, 9997, 9998, 9999, 10_000])
    }

    private func elements(_ handle: UInt32) -> [ObjectPropertyList.Element] {
        [
            .init(
                handle: ObjectHandle(handle), property: .objectFileName, type: .string,
                value: .text("IMG_\(handle).JPG")),
            .init(handle: ObjectHandle(handle), property: .objectFormat, type: .uint16, value: .unsigned(0x3801)),
            .init(
                handle: ObjectHandle(handle), property: .objectSize, type: .uint64,
                value: .unsigned(UInt64(handle) << 32)),
        ]
    }

    /// Object by object, property by property, backwards.
    @Test(arguments: 0..<3) func bulkAnswersAreReadInAnyOrder(_ order: Int) throws {
        let all = (UInt32(1)...50).map(elements)
        let mixed = [
            all.flatMap { $0 }, (0..<3).flatMap { part in all.map { $0[part] } }, all.flatMap { $0 }.reversed(),
        ][order]
        let listing = try BulkListing(ObjectPropertyList(mixed).encoded, StorageID(0x0001_0001))
        for handle in UInt32(1)...50 {
            let info = try #require(listing[ObjectHandle(handle)])
            #expect(info.name == "IMG_\(handle).JPG" && info.size == UInt64(handle) << 32 && info.format == .exifJPEG)
        }
        #expect(listing[ObjectHandle(51)] == nil && listing[ObjectHandle(0)] == nil)
    }

    @Test func whatABulkAnswerLeavesOutIsAskedFor() throws {
        for missing in 0..<3 {
            var some = elements(1)
            some.remove(at: missing)
            #expect(
                try BulkListing(ObjectPropertyList(some + elements(2)).encoded, StorageID(0x0001_0001))[ObjectHandle(1)]
                    == nil)
        }
    }

    @Test func everyPrefixOfABulkAnswerIsRefused() {
        var list: [ObjectPropertyList.Element] = (UInt32(1)...3).flatMap(elements)
        list.append(
            .init(
                handle: ObjectHandle(4), property: .objectSize, type: .init(0x4006),
                value: .list([.unsigned(1), .unsigned(2)])))
        let whole = ObjectPropertyList(list).encoded
        for length in 0..<whole.count {
            #expect(throws: PTPError.self) { try BulkListing(Array(whole[..<length]), StorageID(0x0001_0001)) }
        }
    }
}
