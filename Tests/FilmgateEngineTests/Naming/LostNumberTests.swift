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
            volume: "v", folder: "100", stem: "IMG_1", captured: CivilTime(year: 2026, month: 5, day: 1, hour: 12),
            members: ["JPG": 0])
        return try NameWorld([shot], [FilesAtTarget("archive", isFolder: true)], layout: "{event}/{counter:3}.{ext}")
    }

    /// Its number is written down with the delivery, whoever gave it: after a restart no other shot gets it.
    @Test(arguments: [false, true]) func anAssignmentThatBrokeOffKeepsNoNumber(isGoingOn: Bool) async throws {
        let world = try world()
        try await world.take(nil)
        var reservations: NameReservations? = try await world.breakOff(assigning: "e")
        if !isGoingOn { reservations = nil }
        try await world.send(["e"], assigning: true)
        withExtendedLifetime(reservations) {}
        let sent = world.targetFiles[0].state.withLock { $0.files.values.map(\.path) }
        let written = try await world.ledger.counter(at: Self.target, event: "e")
        #expect(written > 0 && sent == ["e/00\(written).JPG"], "\(sent) \(written)")
    }

    /// A camera that counts anew: two frames of one name, of which the ledger knows one.
    @Test func whatTheLedgerKnowsOfOneShotItDoesNotOfAnother() {
        let register = NameRegister(), run = register.join(), job = register.join()
        let place = "v\u{1F}100/img_1\u{1F}", first = place + "2026-05-01 12:00:00"
        let second = place + "2026-05-01 20:00:00"
        #expect(register.number(of: first, at: "t", event: "e", after: 0, by: run) == 1)
        #expect(register.number(of: second, at: "t", event: "e", after: 0, by: job) == 2)
        register.forget(first, at: "t", event: "e")
        #expect(register.shotNames(below: place, at: "t", event: "e").map(\.shot) == [second])
        #expect(register.number(of: second, at: "t", event: "e", after: 1, by: job) == 2)
        // What a book alone has goes with it.
        register.leave(job)
        #expect(register.shotNames(below: place, at: "t", event: "e").isEmpty && register.count == 0)
    }
}
