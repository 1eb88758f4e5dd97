import FilmgateCore
import Testing

@testable import CardKit
@testable import CardSource

@Suite struct ShotTests {
    @Test func picturesSidecarsAndMemosOfOneStemAreOneShot() async throws {
        let card = ScratchCard(
            "DCIM/100A/IMG_1.CR3", "DCIM/100A/IMG_1.HIF", "DCIM/100A/IMG_1.JPG", "DCIM/100A/IMG_1.WAV",
            "DCIM/100A/IMG_1.CR3.xmp",
            "DCIM/100A/IMG_1.XMP", "DCIM/100A/IMG_2.JPG", "DCIM/101A/IMG_1.JPG", "DCIM/100A/IMG_10.JPG")
        let expected = [
            ["IMG_1.CR3", "IMG_1.HIF", "IMG_1.JPG", "IMG_1.WAV", "IMG_1.CR3.xmp", "IMG_1.XMP"].map {
                "DCIM/100A/" + $0
            },
            ["DCIM/100A/IMG_2.JPG"], ["DCIM/100A/IMG_10.JPG"], ["DCIM/101A/IMG_1.JPG"],
        ]
        #expect(try await card.shots() == expected)
        let entries = try await card.entries()
        #expect(entries["DCIM/100A/IMG_1.CR3.xmp"]?.shot.sidecarOf == "CR3")
        #expect(entries["DCIM/100A/IMG_1.XMP"]?.shot.sidecarOf == nil)
        #expect(Set(entries.prefix(6).map(\.shot.stem)) == ["IMG_1"])
        #expect(Set(entries.map(\.shot.key)).count == 4)
        #expect(entries.allSatisfy { $0.shot.innerPath == nil })
    }

    @Test func theStemIsThePrimarysSpelling() async throws {
        let card = ScratchCard("a/img_1.jpg", "a/IMG_1.CR3", "a/Img_1.xmp")
        let entries = try await card.entries()
        #expect(entries.map(\.shot.stem) == ["IMG_1", "IMG_1", "IMG_1"])
        #expect(entries[0].kind == .raw)
    }

    @Test func caseTwinsAreOneShotAndTwoFiles() async throws {
        let card = ScratchCard("a/IMG_1.JPG", "a/img_1.jpg")
        #expect(try await card.shots() == [["a/IMG_1.JPG", "a/img_1.jpg"]])
        let entries = try await card.entries()
        #expect(Set(entries.map(\.origin.id)).count == 2)
    }

    @Test func chaptersOfAClipAreOneShot() async throws {
        let card = ScratchCard(
            "d/GX010001.MP4", "d/GX020001.MP4", "d/GL010001.LRV", "d/GL020001.LRV", "d/GX010001.THM", "d/GX010002.MP4",
            "d/GOPR0003.MP4", "d/GP010003.MP4", "d/GP020003.MP4", "d/GOPR0003.THM", "d/GOPR0004.JPG")
        let expected = [
            ["GX010001.MP4", "GX020001.MP4", "GL010001.LRV", "GL020001.LRV", "GX010001.THM"],
            ["GOPR0003.MP4", "GP010003.MP4", "GP020003.MP4", "GOPR0003.THM"], ["GOPR0004.JPG"], ["GX010002.MP4"],
        ].map { $0.map { "d/" + $0 } }
        #expect(try await card.shots() == expected)
        #expect(try await card.entries()["d/GL020001.LRV"]?.shot.stem == "GX010001")
    }

    @Test func segmentsPartsAndPixelNamesJoin() async throws {
        let card = ScratchCard(
            "a/A001_C001_0101AB_001.R3D", "a/A001_C001_0101AB_002.R3D", "a/A001_C002_0101AB_001.R3D", "b/C0001_01.MP4",
            "b/C0001_02.MP4", "b/WEDDING_01.MP4", "b/WEDDING_02.MP4", "c/PXL_20240101_1.RAW-01.COVER.jpg",
            "c/PXL_20240101_1.RAW-02.ORIGINAL.dng")
        let expected = [
            ["a/A001_C001_0101AB_001.R3D", "a/A001_C001_0101AB_002.R3D"], ["a/A001_C002_0101AB_001.R3D"],
            ["b/C0001_01.MP4", "b/C0001_02.MP4"],
            ["b/WEDDING_01.MP4"], ["b/WEDDING_02.MP4"],
            ["c/PXL_20240101_1.RAW-02.ORIGINAL.dng", "c/PXL_20240101_1.RAW-01.COVER.jpg"],
        ]
        #expect(try await card.shots() == expected)
    }

    /// What recorders write beside a clip is taken, and goes with it.
    @Test func rawVideoAndWhatLiesBesideIt() async throws {
        let card = ScratchCard(
            "a/DSC_0001.NEV", "a/DSC_0001.MP4", "a/DSC_0001.NEF", "a/DSC_0002.NDF", "b/A001_C001.braw",
            "b/A001_C001.sidecar", "c/X.ARX", "d/A001_C001_001.R3D", "d/A001_C001.RMD", "d/digital_magazine.bin",
            "e/20260512.LOG", "e/TRACK.GPX", "e/TRACK.NMEA")
        let expected = [
            ["a/DSC_0001.NEF", "a/DSC_0001.MP4", "a/DSC_0001.NEV"], ["a/DSC_0002.NDF"],
            ["b/A001_C001.braw", "b/A001_C001.sidecar"], ["c/X.ARX"], ["d/A001_C001_001.R3D", "d/A001_C001.RMD"],
            ["d/digital_magazine.bin"], ["e/20260512.LOG"], ["e/TRACK.GPX", "e/TRACK.NMEA"],
        ]
        #expect(try await card.shots() == expected)
        let entries = try await card.entries()
        #expect(
            entries["a/DSC_0001.NEV"]?.kind == .video && entries["c/X.ARX"]?.kind == .raw
                && entries["e/TRACK.GPX"]?.kind == .sidecar)
        // What is of no kind stays on the card.
        #expect(entries.count == 13 && entries.allSatisfy { $0.kind != .other })
    }

    @Test func aPhonesEditsLieBesideTheirOriginal() async throws {
        let card = ScratchCard(
            "a/IMG_2927.HEIC", "a/IMG_2927.MOV", "a/IMG_E2927.HEIC", "a/IMG_E2927.MOV", "a/IMG_O2927.AAE",
            "a/IMG_2927.AAE", "a/IMG_E3000.JPG", "a/IMG_O3001.AAE")
        let shots = try await card.shots()
        #expect(
            shots.first
                == [
                    "IMG_2927.HEIC", "IMG_E2927.HEIC", "IMG_2927.MOV", "IMG_E2927.MOV", "IMG_2927.AAE", "IMG_O2927.AAE",
                ].map { "a/" + $0 })
        // Without an original, a name is just a name.
        #expect(Set(shots.dropFirst()) == [["a/IMG_E3000.JPG"], ["a/IMG_O3001.AAE"]])
    }

    @Test func theStillLeadsItsClip() async throws {
        let card = ScratchCard(
            "a/IMG_1.MOV", "a/IMG_1.HEIC", "a/IMG_2.JPG", "a/IMG_2.MP4", "a/IMG_3.MOV", "a/IMG_3.CR3")
        let expected = [["IMG_1.HEIC", "IMG_1.MOV"], ["IMG_2.JPG", "IMG_2.MP4"], ["IMG_3.CR3", "IMG_3.MOV"]]
        #expect(try await card.shots() == expected.map { $0.map { "a/" + $0 } })
    }

    @Test func aMemoOrXMLWithAnotherNameJoinsOnlyWhatIsThere() async throws {
        let card = ScratchCard(
            "a/IMG_0001.JPG", "a/SND_0001.WAV", "a/SND_0002.WAV", "b/C0001.MP4", "b/C0001M01.XML", "b/C0002M01.XML")
        let expected = [
            ["a/IMG_0001.JPG", "a/SND_0001.WAV"], ["a/SND_0002.WAV"], ["b/C0001.MP4", "b/C0001M01.XML"],
            ["b/C0002M01.XML"],
        ]
        #expect(try await card.shots() == expected)
    }

    @Test func keysNameTheShotOnItsVolumeWhicheverFolderWasOpened() async throws {
        let card = ScratchCard("DCIM/100A/IMG_1.CR3", "DCIM/100A/IMG_1.JPG")
        let above = try await card.entries(), below = try await card.entries("DCIM/100A")
        #expect(above.map(\.shot.key) == below.map(\.shot.key))
        #expect(above.map(\.origin.id) == below.map(\.origin.id))
        #expect(above[0].shot.key == "\(card.path)/DCIM/100A/img_1")
    }

    @Test func filesOfOneShotThatLieApartComeTogether() {
        let order = ShotOrder(["a", "b", "a", "c", "b", "b"], ranks: [3, 6, 0, 0, 6, 1])
        #expect(order.indices == [2, 0, 5, 1, 4, 3])
        #expect(order.members.map(\.member) == [0, 1, 4] && order.members.map(\.first) == [2, 5, 5])
        #expect(!order.isUnchanged)
        #expect(ShotOrder(["a", "a", "b"], ranks: [0, 3, 0]).isUnchanged)
    }
}
