import FilmgateCore
import Testing

@testable import MediaKit

@Suite struct MovieTests {
    @Test func theHeaderCountsUTC() {
        let result = reading(MovieBuilder().build(), "A.MOV")
        #expect(
            result.facts.captured?.unixSeconds == 3_860_000_000 - 2_082_844_800
                && result.facts.captured?.offsetMinutes == 0)
        #expect(result.flags == ["zone-assumed"] && result.facts.duration == 5)
        #expect(result.facts.width == 1920 && result.facts.height == 1080)
    }

    @Test func timesFrom1970AndUnsetOnes() {
        #expect(reading(MovieBuilder(created: 1_777_000_000).build()).facts.captured?.unixSeconds == 1_777_000_000)
        let unset = reading(MovieBuilder(created: 0).build())
        #expect(unset.facts.captured == nil && unset.flags.isEmpty)
    }

    @Test func theKeyWithItsOffsetIsBest() {
        let keys = [
            ("com.apple.quicktime.creationdate", "2026-05-01T12:30:05+0200"), ("com.apple.quicktime.make", "Acme"),
            ("com.apple.quicktime.model", "A-1"),
        ]
        let result = reading(MovieBuilder(userData: userText("\u{A9}day", "2025-01-01T00:00:00Z"), keys: keys).build())
        #expect(result.facts.captured?.description == "2026-05-01T12:30:05+02:00" && result.flags.isEmpty)
        #expect(result.facts.make == "Acme" && result.facts.model == "A-1")
    }

    @Test func userDataComesBeforeTheHeader() {
        let data =
            userText("\u{A9}day", "2026-05-01T12:30:05+02:00") ++ userText("\u{A9}mak", "Acme")
            ++ userText("\u{A9}xyz", "+59.9139-010.7522+012.345/")
        let result = reading(MovieBuilder(userData: data).build())
        #expect(
            result.facts.captured?.description == "2026-05-01T12:30:05+02:00" && result.facts.make == "Acme"
                && result.flags.isEmpty)
        #expect(result.facts.position == .init(latitude: 59.9139, longitude: -10.7522, altitude: 12.345))
    }

    @Test func locationOf3GPP() {
        let body =
            be32(0) ++ be16(0x15C7) ++ ascii("here\0") ++ [0] ++ be32(0x000A_C000) ++ be32(-0x003B_E666 & 0xFFFF_FFFF)
            ++ be32(0)
            ++ zeros(4)
        let position = reading(MovieBuilder(userData: box("loci", body)).build()).facts.position
        #expect(position?.longitude == 10.75 && abs((position?.latitude ?? 0) + 59.9) < 0.001)
    }

    @Test func exifInAThumbnailIsCivilTime() {
        let thumbnail = JPEGBuilder.camera().build()
        let result = reading(MovieBuilder(userData: box("CNTH", box("CNDA", thumbnail))).build())
        #expect(
            result.facts.captured?.description == "2026-05-01T12:30:05.25+02:00" && result.facts.serial == "0012345")
        #expect(result.facts.width == 1920 && result.facts.orientation == nil && result.flags.isEmpty)
    }

    @Test func recordsOfTagsAreRead() {
        func record(_ tag: Int, _ format: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
            be32(tag) ++ be16(format) ++ be16(count) ++ value
        }
        let records =
            record(1, 2, 5, ascii("Acme\0")) ++ record(0x12, 2, 20, ascii("2026:05:01 12:30:05\0"))
            ++ record(0x0110_829D, 5, 1, be32(4) ++ be32(1))
        let facts = reading(MovieBuilder(userData: box("NCDT", box("NCTG", records))).build()).facts
        #expect(
            facts.make == "Acme" && facts.captured?.description == "2026-05-01T12:30:05"
                && facts.fNumber == Rational(4, 1))
    }

    @Test func clipMetadataInsideAndBeside() {
        let inside = reading(
            MovieBuilder(brand: "XAVC", top: fullBox("meta", box("xml ", ascii(nonRealTimeMeta)))).build(), "C0001.MP4")
        let beside = reading(ascii(nonRealTimeMeta), "C0001M01.XML")
        for facts in [inside.facts, beside.facts] {
            #expect(
                facts.captured?.description == "2026-05-01T12:30:05+02:00" && facts.model == "A-1"
                    && facts.serial == nil)
            #expect(facts.lensModel == "50mm & more")
            let blank = reading(
                ascii(nonRealTimeMeta.replacing("Acme", with: "").replacing("A-1", with: " ")), "C0001M01.XML"
            ).facts
            #expect(blank.make == nil && blank.model == nil)
        }
        #expect(inside.flags.isEmpty && beside.kindByContent == .sidecar)
    }
}
