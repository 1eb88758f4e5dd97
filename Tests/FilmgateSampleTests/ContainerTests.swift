import FilmgateCore
import Testing

@testable import FilmgateSample

@Suite struct ContainerTests {
    private let contents = SampleContents(seed: 1, width: 96)

    private func bytes(_ ending: String) throws -> [UInt8] {
        let item = try #require(SampleItem.card.first { $0.path.hasSuffix(ending) })
        return contents.bytes(of: item, Frame.wedding[item.frame])
    }

    @Test func heicItemsLieWhereTheirPlacesSay() throws {
        let file = try bytes(".HEIC")
        #expect(try BoxCheck.top(file).map(\.type) == ["ftyp", "meta", "mdat"])
        let places = try BoxCheck.find(["meta", "iloc"], in: file[...]).body.dropFirst(8)
        let (image, length) = (BoxCheck.number(places.dropFirst(6), 4), BoxCheck.number(places.dropFirst(10), 4))
        let (notes, size) = (BoxCheck.number(places.dropFirst(20), 4), BoxCheck.number(places.dropFirst(24), 4))
        #expect(BoxCheck.number(file[image...], 4) == length - 4)
        #expect(file[notes + 4..<notes + 10] == ArraySlice("Exif\0\0".utf8))
        #expect(notes + size == file.count)
        let exif = try TIFFCheck(Array(file[(notes + 10)...]))
        #expect(try exif.text(0x0110, at: exif.chain()[0]) == "ILCE-7M4")
    }

    @Test func movieSamplesAreTheirPictures() throws {
        let file = try bytes(".MOV")
        #expect(try BoxCheck.top(file).map(\.type) == ["ftyp", "mdat", "moov"])
        let table = ["moov", "trak", "mdia", "minf", "stbl"]
        let sizes = try BoxCheck.find(table + ["stsz"], in: file[...]).body.dropFirst(12)
        var at = BoxCheck.number(try BoxCheck.find(table + ["stco"], in: file[...]).body.dropFirst(8), 4)
        for index in 0..<5 {
            let size = BoxCheck.number(sizes.dropFirst(index * 4), 4)
            _ = try JPEGCheck(Array(file[at..<at + size])).lumaMeans()
            at += size
        }
        let created = BoxCheck.number(try BoxCheck.find(["moov", "mvhd"], in: file[...]).body.dropFirst(4), 4)
        #expect(Int64(created) - 2_082_844_800 == Frame.wedding[2].captured.unixSeconds)
    }

    @Test(arguments: [(".CR2", "042021004567"), (".NEF", "6021337"), (".ARW", "5340077")])
    func rawSaysWhoTookItAndWhen(_ ending: String, _ serial: String) throws {
        let file = try TIFFCheck(bytes(ending))
        let main = try file.chain()[0], exif = try file.children(0x8769, at: main)[0]
        #expect(try file.text(0xA431, at: exif) == serial)
        #expect(try file.text(0x9011, at: exif) == "+02:00")
        let raw = try ending == ".CR2" ? file.chain()[1] : file.children(0x014A, at: main)[1]
        let strip = try file.children(0x0111, at: raw)[0], length = try file.children(0x0117, at: raw)[0]
        #expect(try strip + length <= bytes(ending).count)
        #expect(length == 48 * 32 * 2)
    }

    @Test func gpsAndThumbnailAreInTheExifBlock() throws {
        let block = try TIFFCheck(
            ExifBlock(frame: Frame.wedding[1], width: 6, height: 4).bytes(thumbnail: [0xFF, 0xD8, 0xFF, 0xD9]))
        let chain = try block.chain()
        let gps = try block.entries(at: block.children(0x8825, at: chain[0])[0])
        #expect(gps[2]?.count == 24)
        #expect(try block.children(0x0202, at: chain[1]) == [4])
    }

    @Test func memoIsOneSecondOfSound() throws {
        let memo = try bytes(".WAV")
        func number(_ at: Int) -> Int { memo[at..<at + 4].reversed().reduce(0) { $0 << 8 | Int($1) } }
        #expect(number(4) == memo.count - 8)
        #expect(number(40) == memo.count - 44)
        #expect(number(28) == 16_000)
    }

    @Test func startCodesNeverAppearInsideAUnit() throws {
        let black = HEVCStill(Planes(Scene(seed: 3), width: 64, height: 64)).sample.dropFirst(4)
        let units = Array(black)
        for index in 0..<units.count - 2 where units[index] == 0 && units[index + 1] == 0 {
            #expect(units[index + 2] == 3)
        }
    }
}
