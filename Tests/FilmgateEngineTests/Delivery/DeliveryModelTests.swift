import Foundation
import Testing

@testable import FilmgateEngine

/// Random sequences of what may happen to deliveries, against a plain model of what must come of them.
///
/// Twins, leases of other schedulers, holds, failures of every kind, names that are taken, cancelled and ceded
/// deliveries, crashes and ends of runs. `FILMGATE_DELIVERY_STEPS` says how many events, `FILMGATE_DELIVERY_SEED` where
/// they begin, `FILMGATE_DELIVERY_LINES` how many lines are told of one that failed.
@Suite struct DeliveryModelTests {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment["FILMGATE_DELIVERY_\(name)"].flatMap { UInt64($0) }
    }
    private static let steps = number("STEPS") ?? 100_000
    private static let first = number("SEED") ?? 1
    private static let lines = number("LINES").map { Int($0) } ?? 60

    /// Exactly one ending for each file and target, one holder for each delivery, no action lost, and every drain ends.
    @Test(.timeLimit(.minutes(60))) func everyDeliveryEndsOnce() {
        var steps: UInt64 = 0, seed = Self.first
        while steps < Self.steps {
            let world = Self.play(seed)
            if !world.model.faults.isEmpty {
                let story = world.story
                let faults = world.model.faults.prefix(5).joined(separator: "; ")
                Issue.record(
                    "seed \(seed), after \(steps): \(faults)\n\(story.suffix(Self.lines).joined(separator: "\n"))")
                return
            }
            steps += UInt64(world.steps)
            seed += 1
        }
    }

    /// Some hundred events, and an end: most drain, one in eight is told to stop, one in three crashes on the way.
    private static func play(_ seed: UInt64) -> DeliveryWorld {
        var dice = SeededRandomNumbers(seed &+ 77), world = DeliveryWorld(seed)
        for run in 0...(dice.below(3) == 0 ? 1 : 0) {
            if run > 0 { world.crash() }
            for _ in 0..<(100 + dice.below(600)) where world.model.faults.isEmpty { world.step() }
        }
        if !world.model.faults.isEmpty { return world }
        switch dice.below(8) {
        case 0: world.leave(windingDown: dice.below(2) == 0)
        default: world.drain()
        }
        return world
    }
}
