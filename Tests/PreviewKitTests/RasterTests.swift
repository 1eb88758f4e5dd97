import Testing

@testable import filmgate_previews

/// What is done with a decoded picture.
@Suite struct RasterTests {
    /// Each pixel grey, by its place in rows.
    private func picture(_ rows: [[UInt8]]) -> Raster {
        Raster(width: rows[0].count, height: rows.count, pixels: rows.flatMap { $0 }.flatMap { [$0, $0, $0] })
    }

    private func rows(_ picture: Raster) -> [[UInt8]] {
        (0..<picture.height).map { row in (0..<picture.width).map { picture.pixels[(row * picture.width + $0) * 3] } }
    }

    /// Exif 2.32, figure of tag 0x0112.
    @Test(
        arguments: [
            1: [[1, 2, 3], [4, 5, 6]], 2: [[3, 2, 1], [6, 5, 4]], 3: [[6, 5, 4], [3, 2, 1]],
            4: [[4, 5, 6], [1, 2, 3]], 5: [[1, 4], [2, 5], [3, 6]], 6: [[4, 1], [5, 2], [6, 3]],
            7: [[6, 3], [5, 2], [4, 1]], 8: [[3, 6], [2, 5], [1, 4]],
        ] as [Int: [[UInt8]]]) func itStandsUpright(_ orientation: Int, _ expected: [[UInt8]])
    {
        #expect(rows(picture([[1, 2, 3], [4, 5, 6]]).upright(orientation)) == expected)
    }

    @Test func smallerPixelsAreMeansOfWhatTheyCover() {
        let small = picture([[0, 100, 200, 100], [0, 100, 200, 100]]).fitting(2)
        #expect(rows(small) == [[50, 150]])
        // 3 into 2: each covers one and a half.
        #expect(
            rows(picture([[30, 90, 150], [30, 90, 150], [30, 90, 150]]).fitting(2)) == [[50, 130], [50, 130]])
        #expect(rows(picture([[1, 2], [3, 4]]).fitting(2)) == [[1, 2], [3, 4]])
        let tall = picture((0..<100).map { _ in [9] }).fitting(10)
        #expect(tall.width == 1 && tall.height == 10 && tall.pixels.allSatisfy { $0 == 9 })
    }

    /// 160 × 120 for a picture of 3 to 2: 6.7 rows of black above and below.
    private func barred(_ level: UInt8) -> Raster {
        picture((0..<120).map { row in [UInt8](repeating: (7..<113).contains(row) ? 180 : level, count: 160) })
    }

    @Test func blackBarsAreCut() {
        let cut = barred(6).withoutBars(ofMedia: 6000, 4000)
        #expect(cut.width == 160 && (104...106).contains(cut.height) && cut.pixels.allSatisfy { $0 == 180 })
        let sides = picture((0..<120).map { _ in (0..<160).map { (35..<125).contains($0) ? 180 : 0 } }).withoutBars(
            ofMedia: 3000, 4000)
        #expect(sides.height == 120 && (86...90).contains(sides.width) && sides.pixels.allSatisfy { $0 == 180 })
    }

    @Test func whatIsNoBarStays() {
        for (picture, media) in [
            (barred(180), (6000, 4000)), (barred(60), (6000, 4000)), (barred(0), (4000, 3000)), (barred(0), (0, 0)),
            (barred(0), (1, 1_000_000)),
        ] {
            let left = picture.withoutBars(ofMedia: media.0, media.1)
            #expect(left.width == 160 && left.height == 120)
        }
    }

    @Test func inkBecomesLight() {
        let picture = Raster(width: 2, height: 1, ink: [255, 128, 0, 255, 255, 255, 255, 0])
        #expect(picture.pixels == [255, 128, 0, 0, 0, 0])
    }
}
