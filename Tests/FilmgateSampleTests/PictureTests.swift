import Testing

@testable import FilmgateSample

@Suite struct PictureTests {
    @Test(arguments: [(64, 48), (100, 61), (17, 16)])
    func jpegDecodesToThePicture(_ width: Int, _ height: Int) throws {
        let picture = Planes(Scene(seed: 7), width: width, height: height)
        let check = try JPEGCheck(JPEGEncoder.encode(picture))
        #expect((check.width, check.height) == (width, height))
        let means = try check.lumaMeans()
        for (index, mean) in means.enumerated() {
            let (unit, part) = (index / 4, index % 4), columns = picture.paddedWidth / 16
            let (x, y) = (unit % columns * 16 + part % 2 * 8, unit / columns * 16 + part / 2 * 8)
            let samples = (0..<64).map { Float(picture.luma[(y + $0 / 8) * picture.paddedWidth + x + $0 % 8]) }
            #expect(abs(samples.reduce(0, +) / 64 - mean) < 1)
        }
    }

    @Test func seedsGiveOtherPictures() {
        let pictures = (0..<8).map { Planes(Scene(seed: $0), width: 32, height: 32).luma }
        #expect(Set(pictures).count == 8)
    }
}
