import ClusterTesting
import FilmgateCore
import Foundation
import Testing

@testable import PostgresCatalog

/// Fifty stations at a real catalogue, step by step.
///
/// `FILMGATE_STATION_STEPS` and `FILMGATE_STATION_SEED` make the history longer and another one.
@Suite(.enabled(if: Cluster.isInstalled), .timeLimit(.minutes(30))) struct StationWorldTests {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment["FILMGATE_STATION_" + name].flatMap { UInt64($0) }
    }

    @Test(arguments: number("SEED").map { [$0] } ?? [50, 51]) func everyFrameIsThereOnce(_ seed: UInt64) async throws {
        let test = try await TestCatalog.made(), steps = Int(Self.number("STEPS") ?? 1200)
        print("50 stations: seed \(seed), \(steps) steps")
        let roles = try (1...4).map { try test.as("desk\($0)") }
        var world = StationWorld(seed: seed)
        for number in 1...50 { world.add(try await test.station(number, roles: roles)) }
        for step in 0..<steps where world.faults.isEmpty { try await world.step(step, test) }
        #expect(world.faults == [], "seed \(seed)")
        try await world.drain()
        #expect(world.faults == [], "seed \(seed)")
        #expect(world.gallery == [Int](repeating: 1, count: StationWorld.frames), "seed \(seed)")
        let claimed = world.model.keys.filter { if case .claimed = $0 { true } else { false } }.count
        #expect(try await test.sql("SELECT count(*) FROM catalog.delivery WHERE state = 'c'") == "\(claimed)")
        for catalog in roles { await catalog.close() }
    }
}
