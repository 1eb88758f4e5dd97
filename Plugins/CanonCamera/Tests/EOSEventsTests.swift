import PTPKit
import Testing

@testable import CanonCamera

/// What a body, or something that claims to be one, can put into its event stream and its listings.
@Suite struct EOSEventsTests {
    private func names(_ bytes: [UInt8]) -> [String] {
        EOSEvents(bytes.span.bytes).records.compactMap { if case .added(let object) = $0 { object.name } else { nil } }
    }
    private func added(_ name: String, padding: Int = 0, size: UInt32? = nil) -> [UInt8] {
        let text = Array(name.utf8.prefix(16))
        return EOSRecords.record(0xC181) { writer in
            for value: UInt32 in [0x9190_0001, 0x0001_0001, 0xB108, 0, 0, 1234, 0x9180_0000, 0] { writer.put(value) }
            writer.put(contentsOf: text + [UInt8](repeating: 0, count: 16 - text.count + padding))
        }
    }

    @Test func anEmptyStreamIsNoNews() {
        let empty: [[UInt8]] = [EOSRecords.end, []]
        for bytes in empty {
            let events = EOSEvents(bytes.span.bytes)
            #expect(events.records.isEmpty)
        }
    }

    @Test func theLastRecordCountsWithoutATerminator() { #expect(names(added("IMG_0001.CR3")) == ["IMG_0001.CR3"]) }

    @Test func aTerminatorOfTwelveBytesEnds() {
        #expect(names(added("A.JPG") + [12, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4] + added("B.JPG")) == ["A.JPG"])
    }

    @Test(arguments: [0, 1, 2, 3, 4, 5, 6, 7, 200, 0xFFFF_FFFF] as [UInt32])
    func aWrongSizeEndsTheReadingAndKeepsWhatCameBefore(size: UInt32) {
        var broken = ByteWriter()
        broken.put(size)
        broken.put(UInt32(0xC181))
        #expect(names(added("A.JPG") + broken.bytes + added("B.JPG")) == ["A.JPG"])
    }

    @Test func unknownTypesArePassedOver() {
        let unknown = EOSRecords.record(0xC1FF) { $0.put(UInt32(7)) }
        let list = EOSRecords.record(0xC18A) { writer in
            for value: UInt32 in [0xD101, 3, .max, 1] { writer.put(value) }
        }
        #expect(names(unknown + list + added("A.JPG")) == ["A.JPG"])
    }

    @Test func aRecordTooShortForItsNameHasNone() {
        let short = EOSRecords.record(0xC181) { writer in
            for value: UInt32 in [1, 2, 3, 0, 0, 4, 5, 0] { writer.put(value) }
        }
        #expect(names(short + added("B.JPG")) == ["", "B.JPG"])
    }

    @Test func aNameWithoutNulEndsWithItsField() {
        let long = EOSRecords.record(0xC1A7) { writer in
            for value: UInt32 in [1, 2, 3, 0, 0, 4, 0, 5, 6] { writer.put(value) }
            writer.put(contentsOf: [UInt8](repeating: 0x41, count: 300))
        }
        #expect(names(long) == [String(repeating: "A", count: 16)])
    }

    @Test func everyPrefixIsReadWithoutTrapping() {
        let whole = EOSRecords.greeting + added("A.JPG") + EOSRecords.status(0) + EOSRecords.end
        for length in 0...whole.count { _ = EOSEvents(Array(whole[..<length]).span.bytes).records }
    }

    private func entries(_ bytes: [UInt8]) throws -> [EOSListing.Entry] {
        var reader = try EOSListing.Reader(bytes.span.bytes), entries: [EOSListing.Entry] = []
        while let entry = try reader.next(in: bytes.span.bytes) { entries.append(entry) }
        return entries
    }

    @Test(arguments: [0, 55, 0xFFFF_FFFF] as [UInt32])
    func listingEntriesOfImpossibleSizeAreRefused(size: UInt32) {
        var writer = ByteWriter()
        writer.put(UInt32(1))
        writer.put(size)
        writer.put(contentsOf: [UInt8](repeating: 1, count: 60))
        let bytes = writer.bytes
        #expect(throws: PTPError.self) { try entries(bytes) }
    }

    @Test func aListingThatCountsMoreThanItHoldsIsRefused() {
        var writer = ByteWriter()
        writer.put(UInt32.max)
        writer.put(contentsOf: [UInt8](repeating: 1, count: 60))
        let bytes = writer.bytes
        #expect(throws: PTPError.self) { try entries(bytes) }
    }

    @Test(arguments: 1...4)
    func mutatedStreams(seed: UInt64) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15
        func random() -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33)
        }
        let whole = EOSRecords.greeting + added("A.JPG") + added("B.CR3") + EOSRecords.end
        for _ in 0..<2000 {
            var bytes = whole
            for _ in 0..<3 { bytes[random() % bytes.count] = UInt8(random() & 0xFF) }
            _ = EOSEvents(bytes.span.bytes).records
            _ = try? entries(bytes)
        }
    }
}
