import Foundation
import TestThreads
import Testing

/// Files that hold zeros or noise: delivered as they are, and told wherever a person decides about the card.
@Suite(.ownThreads) struct DamagedFileTests {
    @Test func zerosAndNoiseUnderPictureNamesAreNamedBesideTheYes() throws {
        let table = try Table()
        try table.sampleCard()
        let picture = try #require(
            table.files(table.card).filter { $0.key.hasSuffix(".JPG") && $0.value.suffix(2) == Data([0xFF, 0xD9]) }
                .values
                .max { $0.count < $1.count })
        var state: UInt64 = 7
        let noise = (0..<100_000).map { _ -> UInt8 in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33)
        }
        let half = picture.count / 2
        try table.write("C/IMG_0001.JPG", Data(count: 300_000))
        try table.write("C/IMG_0002.JPG", picture)
        try table.write("C/IMG_0003.JPG", Data([1, 2, 3, 4, 5, 6] + noise))
        try table.write(
            "C/IMG_0004.JPG", picture.prefix(half) + Data(count: 150_000) + picture.suffix(picture.count - half))
        let taken = try table.run(["import", table.path("C"), "--to", table.archive])
        #expect(taken.status == 0 && taken.count("delivered") == 4 && taken.count("damaged") == 3, "\(taken.output)")
        let said = try table.run(["safe-to-format", table.path("C"), "--allow", "same-device"])
        let damaged = said.items().filter { $0["damaged"] as? Bool == true }.compactMap { $0["path"] as? String }
        #expect(said.status == 0 && damaged == ["IMG_0001.JPG", "IMG_0003.JPG", "IMG_0004.JPG"], "\(said.output)")
        let status = try #require(try table.run(["status"]).items("status").first)
        #expect(status["damaged"] as? Int == 3)
    }
}
