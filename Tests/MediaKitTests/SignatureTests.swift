import FilmgateCore
import Testing

@testable import MediaKit

@Suite struct SignatureTests {
    @Test func contentDecidesNotTheName() {
        let picture = png([])
        #expect(FileSignature.kind(of: picture) == .image && FileSignature.format(of: picture) == .png)
        #expect(
            reading(picture, "A.JPG").flags == ["kind-mismatch"] && reading(picture, "A.JPG").kindByContent == .image)
        #expect(reading(picture, "A.PNG").flags.isEmpty)
        #expect(reading(JPEGBuilder.camera().build(), "A.HEIC").flags == ["kind-mismatch"])
    }

    @Test(arguments: ["A.THM", "A.NEF", "A.BIN", "A.insp", "A.mpo", "A"]) func jpegsUnderOtherNamesThatAreMeant(
        _ name: String
    ) {
        #expect(reading(JPEGBuilder.camera().build(), name).flags.isEmpty)
    }

    @Test func rawInTIFFMayCallItselfEither() {
        #expect(reading(tiffRAW(), "A.NEF").flags.isEmpty && reading(tiffRAW(), "A.TIF").flags.isEmpty)
        #expect(reading(tiffRAW(), "A.JPG").flags == ["kind-mismatch"])
    }

    @Test func emptyAndZeroedFilesAreTold() {
        #expect(
            reading([], "A.JPG").flags == ["truncated"] && reading([], "A.XMP").flags == ["truncated"]
                && reading([], "notes").flags.isEmpty
        )
        #expect(reading(zeros(5000), "A.JPG").flags == ["kind-mismatch"] && reading(zeros(5000), "A.MPG").flags.isEmpty)
    }

    @Test func headsOfAnyLengthAreSafe() {
        for seed in seeds {
            for length in 0..<min(80, seed.bytes.count) { _ = FileSignature.kind(of: Array(seed.bytes[..<length])) }
        }
    }
}
