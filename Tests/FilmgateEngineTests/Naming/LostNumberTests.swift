import FilmgateCore
import FilmgateLedger
import Synchronization
import Testing

@testable import FilmgateEngine

/// Numbers that were given and not written down, in a process that goes on.
@Suite struct LostNumberTests {
    private static let target = PlannedTarget.identity("archive", for: "e")

    private func world() throws -> NameWorld {
        let shot = NameWorld.Shot(
            volume: "v", folder: "100", stem: "IMG_1", captured: CivilTime(year: 2026, month: 5, day: 1, hour: 12), members: ["JPG": 0])
        return try NameWorld([shot], [FilesAtTarget("archive", isFolder: true)], layout: "{event}/{counter:3}.{ext}")
    }

    /// Its number is written down with the delivery, whoever gave it: after a restart no other shot gets it.
    @Test(arguments: [false, true]) func anAssignmentThatBrokeOffKeepsNoNumber(isGoingOn: Bool) async throws {
        let world = try world()
        try await world.take(nil)
        var book: NameBook? = try await world.breakOff(assigning: "e")
        if !isGoingOn { book = nil }
        try await world.send(["e"], assigning: true)
        withExtendedLifetime(book) {}
        let sent = world.targetFiles[0].state.withLock { $0.files.values.map(\.path) }
        let written = try await world.ledger.counter(at: Self.target, event: "e")
        #expect(written > 0 && sent == ["e/00\(written).JPG"], "\(sent) \(written)")
    }
}
