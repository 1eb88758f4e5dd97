import FilmgateCore
import Testing

@testable import FilmgateEngine

/// What goes to an event together, where somebody names some of it.
@Suite struct WaitingShotsTests {
    private static func key(_ name: String, beside picture: String? = nil) -> ContentKey {
        func digest(_ name: String) -> String { name + String(repeating: "_", count: 64 - name.utf8.count) }
        return ContentKey(sha256: digest(name), beside: picture.map(digest))
    }

    /// A file of the shot `IMG_1` on one card, whose bytes are called `bytes`; its name is what follows their dot.
    ///
    /// `hour`: what the camera said; sidecars and memos inherit the body and no time.
    private static func held(
        _ bytes: String, beside picture: String? = nil, hour: Int? = nil, run: Int64 = 1, at time: Int64,
        event: String? = DeliveryRow.unassigned
    ) -> QueuedDelivery {
        let name = "IMG_1." + String(bytes.split(separator: ".").last ?? "")
        let origin = Origin(
            source: "card", volume: "v", root: "/card", path: "DCIM/" + name, size: 1, modified: time)
        let content = key(bytes, beside: picture)
        var delivery = DeliveryRow(
            content: content, target: "archive", targetName: "archive", receipt: Receipt(state: .held, at: time),
            size: 1, path: "")
        delivery.event = event
        // Whoever writes rows at the end of a run writes them all then, in any order.
        var asset = AssetRow(
            origin: origin, run: run, kind: MediaKind(fileName: name),
            shot: ShotPlace(key: "dcim/img_1", stem: "IMG_1"), at: 1_000_000)
        asset.content = content
        asset.media = MediaFacts()
        asset.media?.serial = "body"
        asset.media?.captured = hour.flatMap { CivilTime(year: 2026, month: 5, day: 1, hour: $0) }
        return QueuedDelivery(delivery: delivery, asset: asset)
    }

    private func expect(_ named: [String], _ waiting: [QueuedDelivery], give whole: [ContentKey]) {
        let found = waiting.shuffled().wholeShots(of: Set(named.map { Self.key($0) }))
        #expect(found == Set(whole), "\(found.map(\.rawValue).sorted())")
    }

    /// A counter that began anew on the same card: what follows one picture does not follow the other.
    @Test(arguments: [1, 2] as [Int64]) func aSidecarAndAMemoFollowTheirOwnPicture(_ secondRun: Int64) {
        let waiting = [
            Self.held("a.JPG", hour: 10, at: 100), Self.held("a.XMP", beside: "a.JPG", at: 101),
            Self.held("a.WAV", at: 102), Self.held("b.JPG", hour: 12, run: secondRun, at: 900),
            Self.held("b.XMP", beside: "b.JPG", run: secondRun, at: 901), Self.held("b.WAV", run: secondRun, at: 902),
        ]
        expect(["a.JPG"], waiting, give: [Self.key("a.JPG"), Self.key("a.XMP", beside: "a.JPG"), Self.key("a.WAV")])
        expect(["b.JPG"], waiting, give: [Self.key("b.JPG"), Self.key("b.XMP", beside: "b.JPG"), Self.key("b.WAV")])
    }

    /// The sidecar lies beside the RAW; whichever of the three says its time.
    @Test(arguments: [10, nil] as [Int?], ["a.JPG", "a.CR2"]) func rawAndJPEGGoTogether(_ hour: Int?, _ named: String) {
        let waiting = [
            Self.held("a.CR2", hour: hour, at: 100), Self.held("a.JPG", hour: 10, at: 101),
            Self.held("a.XMP", beside: "a.CR2", at: 102), Self.held("b.CR2", hour: hour.map { $0 + 2 }, at: 900),
            Self.held("b.JPG", hour: 12, at: 901), Self.held("b.XMP", beside: "b.CR2", at: 902),
        ]
        expect(
            [named], waiting,
            give: [Self.key("a.CR2"), Self.key("a.JPG"), Self.key("a.XMP", beside: "a.CR2")])
    }

    /// Nothing says when it was taken: a file of the same name is of another shot.
    @Test func framesOfOneNameAreTwoShots() {
        let waiting = [
            Self.held("a.JPG", run: 1, at: 100), Self.held("a.CR2", run: 1, at: 101), Self.held("a.WAV", at: 102),
            Self.held("b.JPG", run: 2, at: 200), Self.held("b.CR2", run: 2, at: 201),
            Self.held("b.WAV", run: 2, at: 202),
        ]
        expect(["b.CR2"], waiting, give: [Self.key("b.JPG"), Self.key("b.CR2"), Self.key("b.WAV")])
    }

    /// A late sidecar of a RAW that has its event is none of another frame's.
    @Test func whatLiesBesideAnotherEventsPictureStays() {
        let waiting = [
            Self.held("a.CR2", hour: 10, at: 100, event: "smith"),
            Self.held("a.XMP", beside: "a.CR2", run: 2, at: 500), Self.held("b.JPG", hour: 12, run: 3, at: 900),
        ]
        expect(["b.JPG"], waiting, give: [Self.key("b.JPG")])
        // Where the RAW waits nowhere, as where no target takes any, its sidecar goes with the JPEG of its shot.
        let without = [Self.held("a.JPG", hour: 10, at: 100), Self.held("a.XMP", beside: "a.CR2", at: 102)]
        expect(["a.JPG"], without, give: [Self.key("a.JPG"), Self.key("a.XMP", beside: "a.CR2")])
    }

    /// Nobody asked for its picture.
    @Test func aSidecarThatIsNamedTakesNothingWithIt() {
        let waiting = [Self.held("a.JPG", hour: 10, at: 100), Self.held("a.WAV", at: 102)]
        expect(["a.WAV"], waiting, give: [Self.key("a.WAV")])
    }
}
