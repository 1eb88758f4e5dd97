import FilmgateCore
import Testing

@testable import CardKit
@testable import CardSource

@Suite struct ClipTreeTests {
    private static let xavc = [
        "PRIVATE/M4ROOT/CLIP/C0001.MP4", "PRIVATE/M4ROOT/CLIP/C0001M01.XML", "PRIVATE/M4ROOT/SUB/C0001S03.MP4",
        "PRIVATE/M4ROOT/THMBNL/C0001T01.JPG", "PRIVATE/M4ROOT/CLIP/C0002.MP4", "PRIVATE/M4ROOT/MEDIAPRO.XML",
        "PRIVATE/M4ROOT/GENERAL/x.bin",
        "DCIM/100A/DSC00001.ARW",
    ]

    @Test func everythingInATreeTravelsWithItsClipAndKeepsItsPlace() async throws {
        let card = ScratchCard()
        card.add(Self.xavc)
        let entries = try await card.entries()
        #expect(entries.allSatisfy { $0.fate == .take } && entries.count == Self.xavc.count)
        let clip = entries.filter { $0.shot.stem == "C0001" }
        #expect(
            clip.map(\.shot.innerPath)
                == ["CLIP/C0001.MP4", "CLIP/C0001M01.XML", "SUB/C0001S03.MP4", "THMBNL/C0001T01.JPG"].map {
                    "M4ROOT/" + $0
                })
        #expect(clip.map(\.kind) == [.video, .sidecar, .sidecar, .sidecar])
        #expect(Set(clip.map(\.shot.key)).count == 1)
        #expect(entries["PRIVATE/M4ROOT/GENERAL/x.bin"]?.kind == .sidecar)
        #expect(entries["DCIM/100A/DSC00001.ARW"]?.shot.innerPath == nil)
    }

    @Test(arguments: ["PRIVATE", "PRIVATE/M4ROOT", "PRIVATE/M4ROOT/CLIP"]) func aTreeIsKnownFromInside(
        _ below: String
    ) async throws {
        let card = ScratchCard()
        card.add(Self.xavc)
        let whole = try await card.entries(), inside = try await card.entries(below)
        #expect(inside.contains { $0.shot.innerPath == "M4ROOT/CLIP/C0001.MP4" })
        for entry in inside {
            let same = whole.first { $0.origin.volumePath == entry.origin.volumePath }
            #expect(same?.shot == entry.shot && same?.kind == entry.kind)
        }
    }

    @Test(arguments: [
        (["AVCHD/BDMV/STREAM/00000.MTS", "AVCHD/BDMV/CLIPINF/00000.CPI", "AVCHD/BDMV/INDEX.BDM"], "PRIVATE/", "00000"),
        (["BDMV/STREAM/00001.MTS", "BDMV/PLAYLIST/00001.MPL"], "", "00001"),
        (
            [
                "XDROOT/Clip/C0001.MXF", "XDROOT/Clip/C0001M01.XML", "XDROOT/Clip/C0001R01.BIM",
                "XDROOT/Sub/C0001S01.MP4",
            ], "", "C0001"
        ),
        (
            [
                "BPAV/CLPR/709_0001_01/709_0001_01.MP4", "BPAV/CLPR/709_0001_01/709_0001_01M01.XML",
                "BPAV/CLPR/709_0001_01/709_0001_01I01.PPN",
            ], "", "709_0001_01"
        ),
        (
            [
                "CONTENTS/VIDEO/0001AB.MXF", "CONTENTS/AUDIO/0001AB00.MXF", "CONTENTS/CLIP/0001AB.XML",
                "CONTENTS/ICON/0001AB.BMP",
            ], "",
            "0001AB"
        ),
        (
            [
                "CONTENTS/CLIPS001/AA0001/AA000101.MXF", "CONTENTS/CLIPS001/AA0001/AA000102.MXF",
                "CONTENTS/CLIPS001/AA0001/AA0001.CIF",
            ], "",
            "AA000101"
        ),
        (["CLIP/C0001.MXF", "CLIP/C0001M01.XML", "SUB/C0001S01.MP4", "THMBNL/C0001T01.JPG"], "disc/", "C0001"),
        (["CLIPS/A.MP4", "CLIPS/A.XML"], "PRIVATE/", "A"),
        (
            [
                "A001.RDM/A001_C001_0101AB.RDC/A001_C001_0101AB_001.R3D",
                "A001.RDM/A001_C001_0101AB.RDC/A001_C001_0101AB_002.R3D",
                "A001.RDM/A001_C001_0101AB.RDC/A001_C001_0101AB.RMD",
            ], "", "A001_C001_0101AB_001"
        ),
        (["A001_C002.RDC/A001_C002_001.R3D", "A001_C002.RDC/A001_C002.RMD"], "Footage/", "A001_C002_001"),
    ])
    func treesOfAllMakesGroupByClip(_ names: [String], _ above: String, _ stem: String) async throws {
        let card = ScratchCard()
        card.add(names.map { above + $0 })
        let entries = try await card.entries()
        #expect(Set(entries.compactMap(\.shot.innerPath)) == Set(names))
        #expect(entries[0].origin.path == above + names[0] && entries[0].kind == .video && entries[0].shot.stem == stem)
        let clip = entries.filter { $0.shot.key == entries[0].shot.key }
        #expect(clip.count == names.count - (names.contains("AVCHD/BDMV/INDEX.BDM") ? 1 : 0))
        #expect(clip.dropFirst().allSatisfy { $0.kind != .jpeg && $0.kind != .image })
    }

    /// Looks of two clips mostly have the same bytes: each stays with its own clip.
    @Test(arguments: ["", "A001.RDM", "A001.RDM/A001_C002.RDC"]) func aMagazineKeepsItsClipsApart(
        _ below: String
    ) async throws {
        let card = ScratchCard()
        card.add(["A001.RDM/digital_magazine.bin"])
        for clip in ["A001_C001", "A001_C002"] {
            card.add(["_001.R3D", "_002.R3D", ".RMD"].map { "A001.RDM/\(clip).RDC/\(clip)\($0)" })
        }
        let entries = try await card.entries(below)
        let clip = entries.filter { $0.shot.stem == "A001_C002_001" }
        #expect(
            clip.map(\.shot.innerPath)
                == ["_001.R3D", "_002.R3D", ".RMD"].map { "A001.RDM/A001_C002.RDC/A001_C002" + $0 })
        #expect(Set(clip.map(\.shot.key)).count == 1 && entries.allSatisfy { $0.fate == .take })
    }

    @Test func soundsOfATreeAreSounds() async throws {
        let card = ScratchCard(
            "CONTENTS/VIDEO/0001AB.MXF", "CONTENTS/AUDIO/0001AB00.MXF", "CONTENTS/VOICE/0001AB00.WAV",
            "CONTENTS/PROXY/0001AB.MP4")
        #expect(try await card.entries().map(\.kind) == [.video, .audio, .audio, .sidecar])
    }

    @Test func foldersThatMerelyHaveSuchANameStayOrdinary() async throws {
        let names = [
            "CONTENTS/a.jpg", "AVCHD/b.jpg", "CLIP/c.jpg", "Edit/d.jpg", "CLIPS/e.jpg", "BPAV/f.jpg",
            "Photos.app/Contents/Clip/g.jpg", "SUB/h.jpg",
        ]
        let card = ScratchCard()
        card.add(names)
        let entries = try await card.entries()
        #expect(entries.count == names.count)
        #expect(entries.allSatisfy { $0.shot.innerPath == nil && $0.kind == .jpeg })
    }

    @Test func housekeepingAndLitterInsideATree() async throws {
        let card = ScratchCard(
            "M4ROOT/STATUS.BIN", "M4ROOT/CLIP/._C0001.MP4", "M4ROOT/CLIP/.DS_Store", "M4ROOT/CLIP/C0001.MP4",
            "MEDIAPRO.XML")
        let entries = try await card.entries()
        #expect(entries["M4ROOT/STATUS.BIN"]?.fate == .take)
        #expect(entries.filter { $0.fate == .take }.count == 2)
        #expect(entries["MEDIAPRO.XML"]?.fate == .filtered("housekeeping: the camera keeps it for itself"))
    }

    @Test func twoTreesOnOneCardStayApart() async throws {
        let card = ScratchCard(
            "1/M4ROOT/CLIP/C0001.MP4", "1/M4ROOT/THMBNL/C0001T01.JPG", "2/M4ROOT/CLIP/C0001.MP4",
            "2/M4ROOT/THMBNL/C0001T01.JPG")
        #expect(try await card.shots().map { $0.map { $0.prefix(1) } } == [["1", "1"], ["2", "2"]])
    }
}
