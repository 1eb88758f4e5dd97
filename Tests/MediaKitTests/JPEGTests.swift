import FilmgateCore
import Testing

@testable import MediaKit

@Suite struct JPEGTests {
    @Test(arguments: [Endian.little, .big]) func everyStandardTagIsRead(_ order: Endian) throws {
        let result = reading(JPEGBuilder.camera(TIFFBuilder.camera(order).build()).build(), "IMG_1.JPG")
        let facts = result.facts
        #expect(
            facts.make == "Acme" && facts.model == "A-1" && facts.serial == "0012345" && facts.owner == "Owner"
                && facts.artist == "Ann")
        #expect(facts.lensModel == "50mm F1.8" && facts.lensSerial == "L77")
        #expect(facts.captured?.description == "2026-05-01T12:30:05.25+02:00")
        #expect(
            facts.exposureTime == Rational(1, 250) && facts.fNumber == Rational(28, 10)
                && facts.focalLength == Rational(50, 1))
        #expect(facts.iso == 400 && facts.orientation == 6 && facts.rating == 3)
        #expect(facts.width == 6000 && facts.height == 4000)
        let position = try #require(facts.position)
        #expect(
            abs(position.latitude - 59.91) < 1e-9 && abs(position.longitude + 10.75) < 1e-9
                && position.altitude == -12.5)
        #expect(result.flags.isEmpty && result.format == .jpeg && result.completeness == .complete)
    }

    @Test func xmpRatingCountsBeforeExif() {
        let facts = reading(
            JPEGBuilder.camera(xmp: xmpPacket(attributes: #"xmp:Rating="5" tiff:Make="Other""#)).build()
        ).facts
        #expect(facts.rating == 5 && facts.make == "Acme")
    }

    @Test func rejectedIsMinusOne() {
        #expect(
            reading(JPEGBuilder.camera(xmp: xmpPacket(elements: "<xmp:Rating>-1</xmp:Rating>")).build()).facts.rating
                == -1)
    }

    @Test func dateTimeIsTheLastResort() {
        var tiff = TIFFBuilder.camera()
        tiff.folders[1].removeAll { $0.tag == Tag.dateTimeOriginal }
        #expect(reading(JPEGBuilder.camera(tiff.build()).build()).facts.captured?.description == "2026-05-02T00:00:00")
        let packet = xmpPacket(attributes: #"xmp:CreateDate="2026-04-30T10:00:00""#)
        #expect(
            reading(JPEGBuilder.camera(tiff.build(), xmp: packet).build()).facts.captured?.description
                == "2026-04-30T10:00:00")
    }

    @Test func unsetClockIsNoTime() {
        var tiff = TIFFBuilder.camera()
        tiff.folders[1][3].value = .text("0000:00:00 00:00:00")
        tiff.folders[0].removeAll { $0.tag == Tag.dateTime }
        #expect(reading(JPEGBuilder.camera(tiff.build()).build()).facts.captured == nil)
    }

    @Test func highISOStandsInTheNewerTags() {
        var tiff = TIFFBuilder.camera()
        tiff.folders[1][2].value = .short([65_535])
        tiff.folders[1].insert((Tag.recommendedIndex, .long([102_400])), at: 3)
        #expect(reading(JPEGBuilder.camera(tiff.build()).build()).facts.iso == 102_400)
    }

    @Test func latinTextAndPaddingAreReadable() {
        var tiff = TIFFBuilder.camera()
        tiff.folders[0][4].value = .bytes([0x52, 0x65, 0x6E, 0xE9, 0x20, 0x20, 0x00, 0x58])
        #expect(reading(JPEGBuilder.camera(tiff.build()).build()).facts.artist == "René")
    }

    @Test func segmentsMayBePaddedAndComeInAnyOrder() {
        var jpeg = JPEGBuilder.camera()
        jpeg.segments.insert((0xE2, zeros(60_000)), at: 0)
        jpeg.segments.insert((0xFE, zeros(60_000)), at: 0)
        var bytes = jpeg.build()
        bytes.insert(contentsOf: [0xFF, 0xFF], at: 2)
        #expect(reading(bytes).facts.serial == "0012345")
    }

    @Test func strayBytesBetweenSegmentsArePassed() {
        var jpeg = JPEGBuilder.camera()
        jpeg.segments.insert((0xE2, zeros(20)), at: 0)
        var bytes = jpeg.build()
        bytes.insert(contentsOf: [0x00, 0x01, 0xFF, 0x00, 0x02], at: 26)
        let result = reading(bytes)
        #expect(result.facts.serial == "0012345" && result.flags.isEmpty && result.completeness == .complete)
    }

    @Test func iptcGivesATimeWhereNothingElseDoes() {
        let records =
            [0x1C, 2, 55] ++ be16(8) ++ ascii("20260501") ++ [0x1C, 2, 60] ++ be16(11) ++ ascii("123005-0500")
        var jpeg = JPEGBuilder()
        jpeg.segments = [
            (
                0xED,
                ascii("Photoshop 3.0\0") ++ ascii("8BIM") ++ be16(0x0404) ++ [0, 0] ++ be32(records.count) ++ records
            )
        ]
        #expect(reading(jpeg.build()).facts.captured?.description == "2026-05-01T12:30:05-05:00")
    }

    @Test func makerNotesNeverReachTheLibrary() throws {
        // A note that libexif would interpret: its make's name, then a directory.
        let note = le16(1) ++ le16(1) ++ le16(3) ++ le32(1) ++ le32(0) ++ le32(0)
        let tiff = Bytes(TIFFBuilder.camera(make: "Canon", note: note).build())
        #expect(ExifBlock(tiff)?.value(Tag.makerNote, in: .exif) == nil)
        #expect(ExifBlock(tiff)?.value(Tag.serial, in: .exif)?.text == "0012345")
    }

    @Test func blocksOver64KiBAreReadByOurReader() {
        let tiff = TIFFBuilder.camera(gap: 70_000).build()
        let result = reading(heif(tiff))
        #expect(result.facts.serial == "0012345" && result.flags.isEmpty)
    }
}
