import FilmgateCore
import FilmgateLedger
import Foundation
import Testing

@testable import FilmgateEngine

/// Names that two runs of one process choose at the same time, before either is in the ledger: a run, and a job that
/// was handed to it.
@Suite struct NameRaceTests {
    private struct Setup {
        let leases = DeliveryLeases(), ledger: SQLiteLedger, files = FilesAtTarget("archive", isFolder: true)
        let bytes = FileManager.default.temporaryDirectory.path + "/filmgate-race-\(UInt64.random(in: 0...UInt64.max))"
        let layout: String

        init(_ layout: String) throws { (self.layout, ledger) = (layout, try SQLiteLedger.inMemory()) }

        func reservations() -> NameReservations { NameReservations(leases.names) }

        /// The name that a file of shot `stem` on `volume` gets.
        func name(
            _ stem: String, _ ext: String = "JPG", on volume: String, _ reservations: NameReservations
        ) async throws -> String? {
            try await place(stem, ext, on: volume, reservations)?.job.path
        }

        func place(
            _ stem: String, _ ext: String = "JPG", on volume: String, _ reservations: NameReservations
        ) async throws -> Delivery? {
            let path = "DCIM/\(stem).\(ext)"
            let origin = Origin(source: "card", volume: volume, root: "/\(volume)", path: path, size: 1, modified: 0)
            var asset = Asset(
                origin: origin, kind: MediaKind(fileName: path), shot: ShotPlace(key: "DCIM/\(stem)", stem: stem))
            asset.media = MediaFacts()
            asset.media?.serial = volume
            asset.file = LocalFile(path: bytes, size: 1, ownership: .source)
            // As long as a digest is.
            let content = volume + path
            asset.digests = Digests(sha256: content + String(repeating: "_", count: 64 - content.utf8.count))
            let planner = NamePlanner(
                ledger: ledger, targets: [files.planned("e", layout)], profiles: ProfileSet(),
                reservations: reservations, event: "e", photographer: nil,
                again: false, volumeLabel: volume, bodies: BodySerials(), trees: ClipTreeNames())
            return try await planner.place([(asset, ["archive"])], lead: asset, budget: [:]).first?.deliveries.first
        }
    }

    @Test func noNumberIsGivenTwice() async throws {
        let scheduler = try Setup("{event}/{counter:3}.{ext}"), run = scheduler.reservations()
        let job = scheduler.reservations()
        #expect(try await scheduler.name("IMG_1", on: "a", run) == "e/001.JPG")
        #expect(try await scheduler.name("IMG_1", on: "b", job) == "e/002.JPG")
        #expect(try await scheduler.name("IMG_2", on: "a", run) == "e/003.JPG")
        // Of a shot that both have, each file gets the same.
        #expect(try await scheduler.name("IMG_1", "CR3", on: "a", job) == "e/001.CR3")
    }

    /// Two cards with the same names: what one says of its picture must not lie beside the other's.
    @Test func noFileComesToAnotherShotsName() async throws {
        let scheduler = try Setup("{event}/{name}"), run = scheduler.reservations(), job = scheduler.reservations()
        #expect(try await scheduler.name("IMG_1", on: "a", run) == "e/IMG_1.JPG")
        #expect(try await scheduler.name("IMG_1", "CR3", on: "b", job) == "e/IMG_1-2.CR3")
        #expect(try await scheduler.name("IMG_1", "CR3", on: "a", job) == "e/IMG_1.CR3")
    }

    /// Whoever is just looking for a name and comes by keeps no later file of a shot from its first one.
    @Test func aShotStaysTogetherWhereOthersLook() async throws {
        let scheduler = try Setup("{event}/{name}"), run = scheduler.reservations(), job = scheduler.reservations()
        #expect(try await scheduler.name("IMG_1", on: "a", run) == "e/IMG_1.JPG")
        let isClaimed = job.claim("e/IMG_1", at: PlannedTarget.identity("archive", for: "e"), for: "another shot")
        #expect(isClaimed)
        #expect(try await scheduler.name("IMG_1", "CR3", on: "a", run) == "e/IMG_1.CR3")
        #expect(try await scheduler.name("IMG_1", on: "b", job) == "e/IMG_1-2.JPG")
    }

    /// At the same time: every shot has a name that no other has, and all its files have it.
    @Test func manyAtOnceHaveManyNames() async throws {
        let scheduler = try Setup("{event}/{name}")
        let given = try await withThrowingTaskGroup(of: (reservations: NameReservations, names: Set<String>).self) {
            group in
            for volume in ["a", "b", "c"] {
                group.addTask {
                    let reservations = scheduler.reservations()
                    var names: Set<String> = []
                    for number in 0..<20 {
                        for ext in ["JPG", "CR3"] {
                            if let name = try await scheduler.name("IMG_\(number)", ext, on: volume, reservations) {
                                names.insert(String(name.dropLast(4)))
                            }
                        }
                    }
                    return (reservations, names)
                }
            }
            // What a book has given goes with it.
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(given.allSatisfy { $0.names.count == 20 })
        #expect(given.reduce(into: Set()) { $0.formUnion($1.names) }.count == 60)
    }

    /// What a job had goes with it, and only that.
    @Test func whatEndsGivesItsNamesBack() async throws {
        let scheduler = try Setup("{event}/{name}"), run = scheduler.reservations()
        _ = try await scheduler.name("IMG_1", on: "a", run)
        do {
            let job = scheduler.reservations()
            let shared = try await scheduler.place("IMG_1", on: "a", job)
            _ = try await scheduler.name("IMG_2", on: "b", job)
            // The run sends it: the job leaves it to it.
            if let shared { job.releaseName(of: shared) }
            #expect(try await scheduler.name("IMG_1", on: "c", run) == "e/IMG_1-2.JPG")
            #expect(try await scheduler.name("IMG_2", on: "d", run) == "e/IMG_2-2.JPG")
        }
        #expect(try await scheduler.name("IMG_2", on: "c", run) == "e/IMG_2.JPG")
    }
}
