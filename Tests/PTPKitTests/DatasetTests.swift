import FilmgateCore
import PTPKit
import Testing

@Suite struct DatasetTests {
    static let device: DeviceInfo = {
        var info = DeviceInfo()
        info.vendorDescription = "acme.example: 1.0;"
        info.operations = [.getDeviceInfo, .openSession, 0x9101]
        info.events = [.objectAdded, 0xC101]
        info.properties = [.batteryLevel]
        info.imageFormats = [.exifJPEG, 0xB108]
        (info.manufacturer, info.model, info.version, info.serial) = ("Acme", "Böxcam Ⅱ 📷", "1.2", "0042")
        return info
    }()

    @Test func deviceInfoSurvivesTheWire() throws {
        #expect(try DeviceInfo(Self.device.encoded.span.bytes) == Self.device)
    }

    @Test func deviceInfoCutAnywhereFailsOrLosesOnlyItsLastTexts() {
        let bytes = Self.device.encoded
        for length in 0..<bytes.count {
            let cut = Array(bytes[..<length])
            do throws(PTPError) {
                let info = try DeviceInfo(cut.span.bytes)
                #expect(info.operations == Self.device.operations)
                #expect(info.serial.isEmpty)
            } catch {
                guard case .truncated = error else {
                    Issue.record("\(length): \(error)")
                    continue
                }
            }
        }
    }

    @Test func countsLargerThanTheDataAllocateNothing() {
        var writer = ByteWriter()
        writer.put(UInt32.max)
        writer.put(UInt64(1))
        var cursor = ByteCursor()
        #expect(throws: PTPError.self) { try cursor.array(of: UInt32.self, from: writer.bytes.span.bytes) }
    }

    @Test func objectInfoSurvivesTheWire() throws {
        var info = ObjectInfo()
        (info.storage, info.format, info.size, info.parent) = (StorageID(0x10001), .exifJPEG, 1234, ObjectHandle(7))
        (info.name, info.modified, info.captured, info.sequence) = (
            "IMG_0001.JPG", "20260501T120000", "20260501T115959.5+0200", 9
        )
        #expect(try ObjectInfo(info.encoded.span.bytes) == info)
        #expect(info.time == CivilTime(year: 2026, month: 5, day: 1, hour: 12))
    }

    @Test func objectInfoWithASixtyFourBitSize() throws {
        var info = ObjectInfo()
        (info.name, info.size) = ("A.MP4", 5)
        var bytes = info.encoded
        bytes.insert(contentsOf: [1, 0, 0, 0], at: 12)
        let read = try ObjectInfo(bytes.span.bytes)
        #expect(read.name == "A.MP4")
        #expect(read.size == 0x1_0000_0005)
    }

    @Test func objectInfoWithoutANameIsNotMistakenForTheWideForm() throws {
        var info = ObjectInfo()
        (info.captured, info.size) = ("20260501T120000", 99)
        let read = try ObjectInfo(info.encoded.span.bytes)
        #expect(read.name.isEmpty)
        #expect(read.size == 99)
        #expect(read.captured == "20260501T120000")
    }

    @Test func objectInfoCutAnywhereNeverTraps() {
        var info = ObjectInfo()
        info.name = "IMG_0001.JPG"
        let bytes = info.encoded
        for length in 0..<bytes.count { _ = try? ObjectInfo(Array(bytes[..<length]).span.bytes) }
        #expect(throws: PTPError.self) { try ObjectInfo(Array(bytes[..<51]).span.bytes) }
    }

    @Test func storageInfoSurvivesTheWire() throws {
        var info = StorageInfo()
        (info.capacity, info.free, info.label) = (1 << 40, 12, "CARD")
        #expect(try StorageInfo(info.encoded.span.bytes) == info)
    }

    @Test func emptySlotsHoldNoMedium() {
        #expect(StorageID(0x0001_0001).holdsMedium)
        #expect(!StorageID(0x0001_0000).holdsMedium)
        #expect(!StorageID.all.holdsMedium)
        #expect(!StorageID(0).holdsMedium)
    }

    @Test func propertyDescriptionsSurviveTheWire() throws {
        let choice = PropertyDescription(
            code: .batteryLevel, type: .uint16, access: 1, factory: .unsigned(1), current: .unsigned(2),
            form: .choice([.unsigned(1), .unsigned(2), .unsigned(0xFFFF)]))
        #expect(try PropertyDescription(choice.encoded.span.bytes) == choice)
        let range = PropertyDescription(
            code: 0xD001, type: .int128, access: 0, factory: .wide(3), current: .wide(.max),
            form: .range(minimum: .wide(0), maximum: .wide(9), step: .wide(0)))
        #expect(try PropertyDescription(range.encoded.span.bytes) == range)
        let text = PropertyDescription(
            code: 0xD002, type: .string, access: 0, factory: .text(""), current: .text("héllo"))
        #expect(try PropertyDescription(text.encoded.span.bytes) == text)
    }

    @Test func anEnumerationWithASwappedCountIsReadToItsEnd() throws {
        let choice = PropertyDescription(
            code: 0x5005, type: .uint8, access: 1, factory: .unsigned(1), current: .unsigned(1),
            form: .choice([.unsigned(1), .unsigned(2)]))
        var bytes = choice.encoded
        (bytes[8], bytes[9]) = (0, 2)
        let read = try PropertyDescription(bytes.span.bytes)
        #expect(read.form == .choice([.unsigned(1), .unsigned(2)]))
    }

    @Test func objectPropertyListsSurviveTheWire() throws {
        let list = ObjectPropertyList([
            .init(handle: ObjectHandle(1), property: .objectFileName, type: .string, value: .text("A.JPG")),
            .init(handle: ObjectHandle(1), property: .objectSize, type: .uint64, value: .unsigned(6 << 30)),
            .init(handle: ObjectHandle(2), property: .persistentUniqueID, type: .uint128, value: .wide(.max)),
            .init(
                handle: ObjectHandle(2), property: .keywords, type: DataType(0x4004),
                value: .list([.unsigned(65), .unsigned(0)])),
        ])
        #expect(try ObjectPropertyList(list.encoded.span.bytes) == list)
    }

    @Test func objectPropertyListsThatLieAreRefused() {
        let list = ObjectPropertyList([
            .init(handle: ObjectHandle(1), property: .objectSize, type: .uint64, value: .unsigned(1))
        ])
        var more = list.encoded
        more[0] = 200
        #expect(throws: PTPError.self) { try ObjectPropertyList(more.span.bytes) }
        var unknown = list.encoded
        (unknown[10], unknown[11]) = (0, 0)
        #expect(throws: PTPError.self) { try ObjectPropertyList(unknown.span.bytes) }
    }
}
