import FilmgateCore
import FilmgateLedger
import Synchronization
import Testing

@testable import FilmgateEngine

/// Where sidecars and memos lie whose shot cannot have all the names that it would.
@Suite struct SidecarPlaceTests {
    private func world(taken name: String, besides: FilesAtTarget...) throws -> (
        world: NameWorld, gallery: FilesAtTarget
    ) {
        let gallery = FilesAtTarget("gallery", isFolder: false)
        gallery.state.withLock { $0.files[SafeName.folded(name)] = (name, "foreign") }
        let shot = NameWorld.Shot(volume: "v", folder: "100", stem: "IMG_1", captured: nil)
        return (try NameWorld([shot], besides + [gallery], layout: "{event}/{name}"), gallery)
    }

    private func paths(_ gallery: FilesAtTarget) -> [String] {
        gallery.state.withLock { $0.files.values.filter { $0.content != "foreign" }.map(\.path) }.sorted()
    }

    /// A sidecar says something of its picture: beside a memo that came before, and without the picture, nobody reads
    /// it.
    @Test func aSidecarGoesWhereItsPictureGoes() async throws {
        let (world, gallery) = try world(taken: "e/IMG_1.CR3")
        world.shots[0].members = ["WAV": 0]
        try await world.take("e")
        world.shots[0].members["CR3"] = 0
        world.shots[0].members["XMP"] = 0
        try await world.take("e")
        #expect(paths(gallery) == ["e/IMG_1-2.CR3", "e/IMG_1-2.XMP", "e/IMG_1.WAV"])
        // And so does what comes later still.
        world.shots[0].members["JPG"] = 0
        try await world.take("e")
        #expect(paths(gallery).contains("e/IMG_1-2.JPG"))
    }

    /// The picture is there: a memo whose name is free beside it does not leave it because a sidecar must.
    @Test func whatFindsItsNameTakenTakesNothingAlong() async throws {
        let (world, gallery) = try world(taken: "e/IMG_1.XMP")
        world.shots[0].members = ["CR3": 0]
        try await world.take("e")
        world.shots[0].members["XMP"] = 0
        world.shots[0].members["WAV"] = 0
        try await world.take(nil)
        try await world.send(["e"], assigning: true)
        #expect(paths(gallery) == ["e/IMG_1-2.XMP", "e/IMG_1.CR3", "e/IMG_1.WAV"])
    }

    /// Two memos are to have one name, and neither target was asked about it yet: it is that one's whose picture has
    /// it.
    @Test(arguments: [false, true]) func aNameThatIsOnlyWishedForYieldsToTheShotThatHasIt(isOwnFirst: Bool) async throws
    {
        let gallery = FilesAtTarget("gallery", isFolder: false)
        let own = NameWorld.Shot(volume: "a", folder: "100", stem: "IMG_1", captured: nil, members: ["CR3": 0])
        let other = NameWorld.Shot(volume: "b", folder: "100", stem: "img_1", captured: nil)
        let world = try NameWorld(isOwnFirst ? [own, other] : [other, own], [gallery], layout: "{event}/{name}")
        try await world.take("e")
        for shot in world.shots.indices { world.shots[shot].members["WAV"] = 0 }
        try await world.take(nil)
        try await world.send(["e"], assigning: true)
        let memo = world.content(isOwnFirst ? 0 : 1, "WAV")
        #expect(gallery.state.withLock { $0.files["e/img_1.wav"]?.content } == memo, "\(paths(gallery))")
        #expect(paths(gallery).count == 3)
    }

    /// Two pictures that may be of one frame come to a name at once: they share it, but not with what another shot's
    /// memo says.
    @Test func picturesThatMayBeOfOneFrameLeaveAnotherShotsMemoAlone() async throws {
        let gallery = FilesAtTarget("gallery", isFolder: false)
        let places = [("a", "100"), ("a", "101"), ("b", "100")]
        let shots = places.map { NameWorld.Shot(volume: $0.0, folder: $0.1, stem: "IMG_1", captured: nil) }
        let world = try NameWorld(shots, [gallery], layout: "{event}/{name}")
        world.shots[0].members = ["WAV": 0]
        try await world.take("e")
        world.shots[1].members = ["JPG": 0]
        world.shots[2].members = ["CR3": 0]
        try await world.take(nil)
        try await world.send(["e"], assigning: true)
        #expect(paths(gallery).filter { $0.hasPrefix("e/IMG_1.") } == ["e/IMG_1.WAV"])
        #expect(paths(gallery).count == 3)
    }

    /// The picture was assigned without that target at hand, and cannot have the name that it would: its sidecar does
    /// not go ahead to it.
    @Test func aSidecarGoesWhereThereIsRoomForItsPicture() async throws {
        let (world, gallery) = try world(taken: "e/IMG_1.JPG", besides: FilesAtTarget("archive", isFolder: true))
        world.shots[0].members = ["JPG": 0]
        try await world.take(nil)
        try await world.send(["e"], assigning: true, only: ["archive"])
        world.shots[0].members["XMP"] = 0
        try await world.take(nil)
        try await world.send(["e"], assigning: true)
        try await world.send(["e"])
        #expect(paths(gallery) == ["e/IMG_1-2.JPG", "e/IMG_1-2.XMP"])
    }

    /// The picture finds its place beside a memo; the sidecar, whose name is taken there, comes to no picture that may
    /// be of the same frame.
    @Test func aSidecarWhoseNameIsTakenComesToNoOtherPicture() async throws {
        let gallery = FilesAtTarget("gallery", isFolder: false)
        gallery.state.withLock { $0.files["e/img_1.xmp"] = ("e/IMG_1.XMP", "foreign") }
        let shots = ["a", "b"].map { NameWorld.Shot(volume: $0, folder: "100", stem: "IMG_1", captured: nil) }
        let world = try NameWorld(shots, [gallery], layout: "{event}/{name}")
        world.shots[0].members = ["WAV": 0]
        world.shots[1].members = ["JPG": 0]
        try await world.take("e")
        world.shots[0].members["CR3"] = 0
        world.shots[0].members["XMP"] = 0
        try await world.take("e")
        #expect(paths(gallery) == ["e/IMG_1-2.JPG", "e/IMG_1-3.XMP", "e/IMG_1.CR3", "e/IMG_1.WAV"])
    }
}
