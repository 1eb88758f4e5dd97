import FilmgateCore
import FilmgateLedger
import Synchronization
import Testing

@testable import FilmgateEngine

/// Files of a shot that come after others of it are still on their way.
@Suite struct LateFileNameTests {
    private func world(_ layout: String) throws -> (world: NameWorld, gallery: FilesAtTarget) {
        let gallery = FilesAtTarget("gallery", isFolder: false)
        let shot = NameWorld.Shot(volume: "v", folder: "100", stem: "IMG_1", captured: nil)
        return (try NameWorld([shot], [FilesAtTarget("archive", isFolder: true), gallery], layout: layout), gallery)
    }

    /// With its picture, a sidecar becomes another content; what was ordered of it before waits on by itself, and is
    /// still of that shot.
    @Test(arguments: ["{event}/{counter:3}.{ext}", "{event}/{name}"])
    func aSidecarThatWaitedWithoutItsPictureTakesNoOtherShotsPlace(_ layout: String) async throws {
        let (world, gallery) = try world(layout)
        world.shots[0].members = ["XMP": 0, "WAV": 0]
        gallery.state.withLock { $0.isDown = true }
        try await world.take("e")
        world.shots[0].members["JPG"] = 0
        try await world.take("f")
        gallery.state.withLock { $0.isDown = false }
        try await world.send(["e", "f"])
        // And the picture comes to where they are.
        try await world.take("e")
        for store in world.targetFiles {
            let paths = store.state.withLock { $0.files.values.map(\.path) }
            #expect(Set(paths.map { $0.prefix { $0 != "." } }).count == 2, "\(store.name): \(paths.sorted())")
        }
        // What stood for itself is no file of any card.
        #expect(try await world.ledger.assets(AssetFilter()).count == 3)
        #expect(try await world.ledger.queue([.pending, .held, .failed]).isEmpty)
    }
}
